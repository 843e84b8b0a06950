/** What must hold wherever a person allows something. */
export const GATES = [
  'all of it was in view',
  'Enter never allows',
  'a press for something else',
  'the person is asked',
  'on the display of the person',
  'fails closed',
] as const;
export type Gate = (typeof GATES)[number];

export const DECISIONS = ['a call', 'what a server lists', 'what lets agents do more', 'a login'] as const;
export type Decision = (typeof DECISIONS)[number];

/** @returns whether the gate holds */
export type Trial = () => Promise<boolean>;

/** How a surface decides: the gates that it needs, or the attempt to decide there, which must allow nothing. */
export type Way = Partial<Readonly<Record<Gate, Trial>>> | Trial;

export type Surface = Readonly<Record<Decision, Way>>;

export interface GateCell {
  readonly surface: string;
  readonly decision: Decision;
  /** Undefined: the surface decides nothing. */
  readonly gate: Gate | undefined;
  readonly trial: Trial;
}

export function cellsOf(surfaces: Readonly<Record<string, Surface>>): readonly GateCell[] {
  return Object.entries(surfaces).flatMap(([surface, ways]) =>
    DECISIONS.flatMap((decision): GateCell[] => {
      const way = ways[decision];
      if (typeof way === 'function') return [{ surface, decision, gate: undefined, trial: way }];
      return GATES.flatMap((gate) => {
        const trial = way[gate];
        return trial === undefined ? [] : [{ surface, decision, gate, trial }];
      });
    }),
  );
}

/** @param missing what is missing in a cell, by surface, decision and gate */
export function gateTable(
  cells: readonly GateCell[],
  missing: (cell: GateCell) => string | undefined,
): readonly string[] {
  const notes: string[] = [];
  const mark = (cell: GateCell | undefined) => {
    if (cell === undefined) return '';
    const words = missing(cell);
    if (words === undefined) return 'yes';
    if (!notes.includes(words)) notes.push(words);
    return `no (${notes.indexOf(words) + 1})`;
  };
  const surfaces = [...new Set(cells.map(({ surface }) => surface))];
  const rows = surfaces.flatMap((surface) => {
    const own = cells.filter((cell) => cell.surface === surface);
    return DECISIONS.flatMap((decision) => {
      const gates = own.filter((cell) => cell.decision === decision && cell.gate !== undefined);
      if (gates.length === 0) return [];
      const marks = GATES.map((name) => mark(gates.find(({ gate }) => gate === name)));
      return [row(surface, decision, ...marks)];
    });
  });
  const nothing = surfaces.flatMap((surface) => {
    const closed = cells.filter((cell) => cell.surface === surface && cell.gate === undefined);
    const decisions = closed.map(({ decision }) => decision);
    return decisions.length === 0 ? [] : [`- ${surface}: ${decisions.join(', ')}`];
  });
  return [
    row('where', 'decision', ...GATES),
    row(...Array.from({ length: GATES.length + 2 }, () => '---')),
    ...rows,
    '',
    ...(notes.length === 0
      ? []
      : ['What is missing:', '', ...notes.map((words, at) => `${at + 1}. ${words}`), '']),
    'Nothing is allowed there:',
    '',
    ...nothing,
  ];
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
