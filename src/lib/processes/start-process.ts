import { type ChildProcess, execFile, type SpawnOptions, type StdioOptions, spawn } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Closes every descriptor but the named ones and becomes the program. Libraries can open files without close-on-exec,
 * and whoever started svc can leave descriptors open: without this, every program would inherit them. The variables are
 * bash's own, and the program must get exactly the environment that was named; `exec` sets SHLVL again, but an array is
 * never exported.
 */
const CLOSE_OTHERS = `
for path in /dev/fd/*; do
  number=\${path##*/}
  case $number in *[!0-9]*) echo 'the open descriptors cannot be listed' >&2; exit 126;; esac
  case " $1 " in *" $number "*) ;; *) eval "exec $number>&-";; esac
done
shift
unset -v PWD OLDPWD SHLVL
declare -a SHLVL
exec -- "$@"`

/** Bash, because dash knows no descriptor with more than one digit. */
const SHELLS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/run/current-system/sw/bin/bash']
/** Without the files and variables of its user: a bash whose input is a socket would run `.bashrc`. */
const PLAIN = ['--norc', '--noprofile', '-p']
const STANDARD = [0, 1, 2]
const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

type Command = { readonly file: string; readonly args: readonly string[] }
type Environment = Readonly<Record<string, string | undefined>>

/** Returns the shell that closes descriptors, or undefined where there is none. */
export function findClosingShell(): string | undefined {
  return SHELLS.find((path) => existsSync(path))
}

/**
 * Starts a program that gets exactly the descriptors that `stdio` names. The server starts all its programs here. Where
 * there is no bash, a program also inherits what was opened without close-on-exec; no sandbox is made there.
 *
 * The program gets a session of its own: Ctrl-C in a terminal is sent to every process of the terminal's group, and would
 * end programs that the server still needs to stop in order.
 */
export function startProcess(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const stdio = Array.isArray(options.stdio) ? options.stdio : []
  // Node leaves an ignored descriptor beyond the first three as it is.
  const more = stdio.flatMap((each, number) => (number < STANDARD.length || each === 'ignore' ? [] : [number]))
  const command = closingCommand({ file, args }, [...STANDARD, ...more], options.env)
  return spawn(command.file, command.args, { ...options, detached: process.platform !== 'win32' })
}

/** Begins this process anew, with the same pid, from the program that is on the disk now. */
export function beginAnew(): void {
  const { execPath, execArgv, argv } = process
  if (!process.execve) throw new Error('this version of Node cannot begin a process anew')
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)])
}

/**
 * Becomes the program, or the former one if the first cannot be executed. Node ends the process if `execve` fails, bash
 * does not, so bash comes in between. The signal makes bash wait for all children that have ended: those of a program
 * before the last one are known to nobody else.
 */
const BECOME = `
shopt -s execfail
kill -CHLD $$
unset -v PWD OLDPWD SHLVL
declare -a SHLVL
count=$1
shift
exec -- "\${@:1:count}"
exec -- "\${@:count+1}"
exit 126`

/**
 * Becomes another program in the same process: its pid, start time and children stay, its descriptors but the first three
 * do not. Becomes `former` where the program cannot be executed. Throws, with nothing changed, if no shell is there for that.
 */
export function become(program: Command, former: Command, env: Readonly<Record<string, string>>): void {
  const shell = findClosingShell()
  if (shell === undefined || !canBecome()) throw new Error('no process can become another program here')
  accessSync(shell, constants.X_OK)
  const [first, second] = [program, former].map(({ file, args }) => [file, ...args]) as [string[], string[]]
  const args = [...PLAIN, '-c', BECOME, 'svc', String(first.length), ...first, ...second]
  process.execve!(shell, [shell, ...args], env)
}

/** Whether `become` works here. */
export function canBecome(): boolean {
  return process.platform === 'linux' && process.execve !== undefined && findClosingShell() !== undefined
}

/**
 * Starts a process that does nothing for a minute but hold descriptors, so that pipes stay open while this process
 * becomes another program. Returns its pid.
 */
export function holdDescriptors(descriptors: readonly number[]): number {
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', ...descriptors]
  const holder = startProcess('sleep', ['60'], { cwd: '/', env: { PATH: USUAL_PATH }, stdio })
  // Without a listener the event would end this process. The missing pid says the same.
  holder.on('error', () => {})
  if (holder.pid === undefined) throw new Error('the process that holds pipes could not be started')
  return holder.pid
}

const run = promisify(execFile)

/** Runs a program to its end and returns its output. Rejects with an error that has `stderr` if the program fails. */
export async function runToEnd(
  file: string,
  args: readonly string[],
  env?: Environment,
): Promise<{ stdout: string; stderr: string }> {
  const command = closingCommand({ file, args }, STANDARD, env)
  return run(command.file, command.args, { ...(env && { env }) })
}

function closingCommand(
  { file, args }: Command,
  descriptors: readonly number[],
  env: Environment | undefined,
): Command {
  const shell = findClosingShell()
  const found = env === undefined || isAbsolute(file) ? file : findProgram(file, env.PATH ?? USUAL_PATH)
  // Node reports a program that does not exist, where a shell would only end.
  if (shell === undefined || found === undefined) return { file, args }
  return { file: shell, args: [...PLAIN, '-c', CLOSE_OTHERS, 'svc', descriptors.join(' '), found, ...args] }
}

function findProgram(name: string, path: string): string | undefined {
  return path
    .split(':')
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file))
}
