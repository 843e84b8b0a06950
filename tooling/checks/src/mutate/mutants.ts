import { type Expression, parseSync, Visitor } from 'oxc-parser';

/** A small change of one product file that a test should notice. */
export interface Mutant {
  readonly id: string;
  /** From the root of the repository. */
  readonly path: string;
  readonly line: number;
  /** The line without the space around it. */
  readonly lineText: string;
  readonly change: string;
  /** Whether it is inside of a function: a test that runs no such mutant only loads the file. */
  readonly isCalled: boolean;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** What goes before and after a range, so that it is another one if a mutant is on. */
interface Switch extends Range {
  readonly open: (isOn: string) => string;
  readonly close: string;
  readonly change: string;
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

/**
 * All changes of a file that this tool knows, and its source with all of them: each asks `isMutant` whether it is on. They are
 * valid syntax; some are type errors, which do not matter at run time.
 */
export function mutable(path: string, source: string) {
  const switches: Switch[] = [];
  const fixed: Range[] = [];
  const functions: Range[] = [];
  const textOf = ({ start, end }: Range) => source.slice(start, end);
  const oneLine = (range: Range) => {
    const [first = '', ...more] = textOf(range).split('\n');
    return more.length > 0 ? `${first} …` : first;
  };

  const replace = ({ start, end }: Range, other: string, change: string) =>
    switches.push({ start, end, open: (isOn) => `(${isOn}?(${other}):(`, close: '))', change });
  const negate = (test: Expression) => replace(test, `!(${textOf(test)})`, `negated: ${oneLine(test)}`);
  const drop = ({ start, end }: Range) => {
    const change = `dropped: ${oneLine({ start, end })}`;
    switches.push({ start, end, open: (isOn) => `{if(!${isOn})`, close: '}', change });
  };
  const empty = (value: Expression) => {
    if (oneLine(value) !== 'undefined') replace(value, 'undefined', `returns undefined: ${oneLine(value)}`);
  };
  const operation = (node: Range & { left: Range; right: Range; operator: string }) => {
    for (const other of OPERATORS[node.operator] ?? [])
      replace(
        node,
        `(${textOf(node.left)})${other}(${textOf(node.right)})`,
        `${node.operator} becomes ${other}`,
      );
  };

  new Visitor({
    IfStatement: ({ test }) => void negate(test),
    WhileStatement: ({ test }) => void negate(test),
    ConditionalExpression: ({ test }) => void negate(test),
    FunctionDeclaration: (declaration) => void functions.push(declaration),
    FunctionExpression: (expressed) => void functions.push(expressed),
    ArrowFunctionExpression({ body }) {
      functions.push(body);
      if (body.type !== 'BlockStatement') empty(body);
    },
    LogicalExpression: operation,
    BinaryExpression: operation,
    UnaryExpression(node) {
      if (node.operator === '!') replace(node, textOf(node.argument), '! removed');
    },
    ExpressionStatement: drop,
    ThrowStatement: drop,
    ContinueStatement: drop,
    BreakStatement: drop,
    ReturnStatement({ argument }) {
      if (argument !== null) empty(argument);
    },
    Literal(literal) {
      const { value } = literal;
      if (typeof value === 'boolean') replace(literal, `${!value}`, `becomes ${!value}`);
      // One more of a large limit is seldom another behavior.
      const other = typeof value === 'number' ? (value > 10 ? 0 : value + 1) : undefined;
      if (other !== undefined) replace(literal, `${other}`, `${String(value)} becomes ${other}`);
    },
    Property({ key, computed }) {
      if (!computed) fixed.push(key);
    },
    TSLiteralType: (type) => void fixed.push(type),
  }).visit(parseSync(path, source).program);

  const contains = (outer: Range, inner: Range) => outer.start <= inner.start && inner.end <= outer.end;
  const lines = source.split('\n');
  const used = switches.filter((range) => !fixed.some((outer) => contains(outer, range)));
  const mutants = used.map((range, index): Mutant => {
    const line = source.slice(0, range.start).split('\n').length;
    return {
      id: `${path}#${index}`,
      path,
      line,
      lineText: lines[line - 1]?.trim() ?? '',
      change: range.change,
      isCalled: functions.some((outer) => contains(outer, range)),
    };
  });
  const opens = Array.from({ length: source.length + 1 }, () => '');
  const closes = [...opens];
  // The visitor comes to the outer ranges first.
  for (const [index, { start, end, open, close }] of used.entries()) {
    opens[start] += open(`globalThis.isMutant?.("${path}#${index}")`);
    closes[end] = `${close}${closes[end]}`;
  }
  const code = opens.map((open, at) => `${closes[at]}${open}${source.charAt(at)}`).join('');
  return { path, mutants, code };
}
