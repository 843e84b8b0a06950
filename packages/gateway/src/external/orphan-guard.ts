import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads `+ GROUP` and `- GROUP`, and ends the groups that are left when its input ends: when the desk is gone, also after
 * SIGKILL.
 */
const SCRIPT = `
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;; esac ;;
  esac
done
[ -z "\${groups# }" ] && exit
trap '' TERM HUP INT
for group in $groups; do kill -s TERM -- "-$group"; done
sleep 2
for group in $groups; do kill -s KILL -- "-$group"; done
`;

/**
 * A small shell that outlives this process, also a killed one, for as long as it takes to end its children. The end of their
 * input ends most servers, but not all of them. It starts with the first child. What it does not end: a process with its own
 * session, and one whose entry was not written before the desk was killed, some microseconds after its start.
 */
export class OrphanGuard {
  readonly #groups = new Set<number>();
  #shell: ChildProcess | undefined;

  add(group: number): void {
    this.#groups.add(group);
    if (this.#shell === undefined) this.#start();
    else this.#send(`+ ${group}\n`);
  }

  delete(group: number): void {
    if (this.#groups.delete(group)) this.#send(`- ${group}\n`);
    if (this.#groups.size === 0) this.#end();
  }

  #start(): void {
    const shell = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    this.#shell = shell;
    // Without a shell, or if it was killed, the next child starts another one.
    const gone = () => {
      if (this.#shell === shell) this.#shell = undefined;
    };
    shell.on('error', gone).on('exit', gone);
    shell.stdin?.on('error', gone);
    shell.unref();
    for (const group of this.#groups) this.#send(`+ ${group}\n`);
  }

  #send(line: string): void {
    this.#shell?.stdin?.write(line);
  }

  #end(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }
}
