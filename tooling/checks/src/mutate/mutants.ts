import { type Expression, parseSync, type Statement, Visitor } from 'oxc-parser';

/** A small change of one product file that a test should notice. */
export interface Mutant {
  /** From the root of the repository. */
  readonly path: string;
  readonly line: number;
  /** The line without the space around it. */
  readonly lineText: string;
  readonly change: string;
  /** The source of the changed file. */
  code(): string;
  /** The innermost statement or branch that contains the change. */
  readonly point: string;
}

/** A product file. Its statements and branches are points, named after the file. */
export interface Mutable {
  readonly path: string;
  readonly mutants: readonly Mutant[];
  /** The points inside functions: a test that executes none of them only loads the file. */
  readonly called: readonly string[];
  /** The source that calls `hit` with the name at each point. */
  instrumented(): string;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
};

/** All changes of a file that this tool knows. They are valid syntax; some are type errors, which do not matter at run time. */
export function mutable(path: string, source: string): Mutable {
  const points: Range[] = [];
  const insertions: { readonly at: number; readonly text: string }[] = [];
  const changes: (Range & { readonly text: string; readonly name: string })[] = [];
  const types: Range[] = [];
  const functions: Range[] = [];

  const pointName = (index: number) => `${path}#${index}`;
  const point = (range: Range, open: (hit: string) => string, close?: string) => {
    const name = pointName(points.push(range) - 1);
    insertions.push({ at: range.start, text: open(`globalThis.hit?.(${JSON.stringify(name)})`) });
    if (close !== undefined) insertions.push({ at: range.end, text: close });
  };
  const statements = (list: readonly Range[]) => {
    for (const statement of list) if (!isDirective(statement)) point(statement, (hit) => `${hit};`);
  };
  const branch = (statement: Statement | null) => {
    if (statement !== null && statement.type !== 'BlockStatement') point(statement, (hit) => `{${hit};`, '}');
  };
  const expression = (value: Range) => point(value, (hit) => `(${hit},`, ')');

  const change = ({ start, end }: Range, text: string, name: string) => {
    changes.push({ start, end, text, name });
  };
  const negate = (test: Expression) =>
    change(test, `!(${source.slice(test.start, test.end)})`, `negated: ${oneLine(test)}`);
  const drop = (statement: Range) => change(statement, ';', `dropped: ${oneLine(statement)}`);
  const empty = (value: Expression) => {
    if (oneLine(value) !== 'undefined') change(value, '(undefined)', `returns undefined: ${oneLine(value)}`);
  };
  const operator = (left: Range, right: Range, name: string) => {
    const start = source.indexOf(name, left.end);
    for (const other of OPERATORS[name] ?? [])
      if (start < right.start) change({ start, end: start + name.length }, other, `${name} becomes ${other}`);
  };
  const oneLine = ({ start, end }: Range) => {
    const [first = '', ...more] = source.slice(start, end).split('\n');
    return more.length > 0 ? `${first} …` : first;
  };

  new Visitor({
    Program: ({ body }) => statements(body),
    BlockStatement: ({ body }) => statements(body),
    StaticBlock: ({ body }) => statements(body),
    SwitchCase: ({ consequent }) => statements(consequent),
    IfStatement({ test, consequent, alternate }) {
      negate(test);
      branch(consequent);
      branch(alternate);
    },
    WhileStatement({ test, body }) {
      negate(test);
      branch(body);
    },
    ForStatement: ({ body }) => branch(body),
    ForOfStatement: ({ body }) => branch(body),
    ConditionalExpression({ test, consequent, alternate }) {
      negate(test);
      expression(consequent);
      expression(alternate);
    },
    FunctionDeclaration: (declaration) => functions.push(declaration),
    FunctionExpression: (expressed) => functions.push(expressed),
    ArrowFunctionExpression({ body }) {
      functions.push(body);
      if (body.type === 'BlockStatement') return;
      expression(body);
      empty(body);
    },
    LogicalExpression({ left, right, operator: name }) {
      operator(left, right, name);
      expression(right);
    },
    BinaryExpression: ({ left, right, operator: name }) => operator(left, right, name),
    UnaryExpression({ operator: name, start }) {
      if (name === '!') change({ start, end: start + 1 }, '', '! removed');
    },
    ExpressionStatement(statement) {
      if (!isDirective(statement)) drop(statement);
    },
    ThrowStatement: drop,
    ContinueStatement: drop,
    BreakStatement: drop,
    ReturnStatement({ argument }) {
      if (argument !== null) empty(argument);
    },
    Literal(literal) {
      if (typeof literal.value === 'boolean')
        change(literal, `${!literal.value}`, `becomes ${!literal.value}`);
      if (typeof literal.value === 'number') {
        // One more of a large limit is seldom another behavior.
        const other = literal.value > 10 ? 0 : literal.value + 1;
        change(literal, `${other}`, `${literal.value} becomes ${other}`);
      }
    },
    TSLiteralType: ({ start, end }) => types.push({ start, end }),
  }).visit(parseSync(path, source).program);

  const contains = (outer: Range, inner: Range) => outer.start <= inner.start && inner.end <= outer.end;
  const lines = source.split('\n');
  const mutants = changes
    .filter((range) => !types.some((type) => contains(type, range)))
    .map((range): Mutant => {
      const line = source.slice(0, range.start).split('\n').length;
      return {
        path,
        line,
        lineText: lines[line - 1]?.trim() ?? '',
        change: range.name,
        code: () => source.slice(0, range.start) + range.text + source.slice(range.end),
        point: pointName(innermost(points, (outer) => contains(outer, range))),
      };
    });

  return {
    path,
    mutants,
    called: points.flatMap((range, index) =>
      functions.some((outer) => contains(outer, range)) ? [pointName(index)] : [],
    ),
    instrumented() {
      let code = source;
      for (const { at, text } of insertions.toSorted((a, b) => b.at - a.at))
        code = code.slice(0, at) + text + code.slice(at);
      return code;
    },
  };
}

/** Ranges that contain the same position are nested: the innermost starts last. */
function innermost(points: readonly Range[], matches: (point: Range) => boolean): number {
  let found = -1;
  for (const [index, range] of points.entries())
    if (matches(range) && range.start >= (points[found]?.start ?? 0)) found = index;
  return found;
}

/** For example `'use strict'`. */
function isDirective(statement: Range & { readonly directive?: string | null }): boolean {
  return typeof statement.directive === 'string';
}
