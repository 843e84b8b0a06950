import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { thisProcess } from '@deskside/core/program';

/** One process that writes to the journal, as a line in each segment that it writes to. */
export interface WriterLine {
  readonly writer: string;
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly at: string;
  /** Of the machine, on Linux. */
  readonly boot?: string | undefined;
  /** Where process ids mean the same, on Linux: a container has its own. */
  readonly space?: string | undefined;
  /** When the process started, in the kernel's unit, on Linux. Process ids are used again. */
  readonly start?: string | undefined;
}

/** A boot is known from the uptime to this precision. */
const UPTIME_PRECISION_MS = 60_000;

export function thisWriter(writer: string, at: string): WriterLine {
  const { id } = thisProcess();
  return { writer, pid: id, host: hostname(), at, boot: bootId(), space: processSpace(), start: startOf(id) };
}

export function isWriterLine(line: Readonly<Record<string, unknown>>): line is WriterLine & typeof line {
  return (
    ['writer', 'host', 'at'].every((key) => typeof line[key] === 'string') && typeof line['pid'] === 'number'
  );
}

/** @returns undefined if this process cannot know: the writer runs on another machine or in another container */
export function isAlive({ pid, host, at, boot, space, start }: WriterLine): boolean | undefined {
  if (host !== hostname()) return undefined;
  if (boot !== bootId()) return false;
  if (space !== processSpace()) return undefined;
  if (start !== undefined) return start === startOf(pid);
  const bootedAtMs = Date.now() - uptime() * 1000;
  return Date.parse(at) > bootedAtMs - UPTIME_PRECISION_MS && thisProcess().isRunning(pid);
}

function bootId(): string | undefined {
  return textOf('/proc/sys/kernel/random/boot_id')?.trim();
}

function processSpace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

/** @returns undefined for a process that has ended, also if its parent has not asked how, and on other systems */
function startOf(pid: number): string | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name of the program, in parentheses, may contain anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}
