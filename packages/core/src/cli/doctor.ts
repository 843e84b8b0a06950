import { escapeInvisible } from '../text/index.ts';

/** What `doctor` found out about the environment. */
export interface DoctorReport {
  /** `deskside-todo 1.2.0` */
  readonly program: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly problems: readonly { readonly problem: string; readonly remedy: string }[];
}

/** Prints the report as aligned lines. @returns the exit code: 1 if there is a problem */
export function printDoctorReport(
  { program, facts, problems }: DoctorReport,
  print: (line: string) => void,
): number {
  const width = Math.max(...facts.map(([label]) => label.length)) + 2;
  const lines = [
    program,
    '',
    ...facts.flatMap(([label, value]) =>
      value.split('\n').map((line, index) => `${(index === 0 ? label : '').padEnd(width)}${line}`),
    ),
    '',
    ...(problems.length === 0 ? ['No problems found.'] : ['Problems:']),
    ...problems.flatMap(({ problem, remedy }) => [`  - ${problem}`, `    ${remedy}`]),
  ];
  for (const line of lines) print(escapeInvisible(line));
  return problems.length === 0 ? 0 : 1;
}
