import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { finished as onFinished, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ServiceError } from '#contract/core/errors.ts'
import { startProcess } from '#lib/processes/start-process.ts'
import type { ProgramTarget } from '../engine/postgres/entrance.ts'

/** Runs `pg_dump` and `pg_restore`, which are looked up in the folders of `path`, until the `deadline`. */
export type Programs = {
  readonly path: string | undefined
  readonly deadline?: AbortSignal
  /** Ends the sentence about a program that was not done before the deadline. */
  readonly afterDeadline?: string
}

type Finished = { readonly code: number | null; readonly errors: string }
type Program = 'pg_dump' | 'pg_restore'

/** The `application_name` of the connections of these programs. */
export const PROGRAM_NAME = 'svc'
const MAX_ERROR_CHARS = 2_000
/** The parameters that both node-postgres and libpq accept in a connection string. */
const CONNECTION_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey']

/** Runs a program and returns its standard output. Throws with its error output if it fails. */
export async function runProgram(
  programs: Programs,
  program: Program,
  target: ProgramTarget | undefined,
  args: string[],
) {
  const child = start(programs, program, target, args)
  child.stdin.end()
  const [output, finished] = await Promise.all([text(child.stdout), finish(child)])
  refuseFailure(programs, program, finished)
  return output
}

/** Runs a program that may fail, and returns its error output, one line each. Throws if it fails without any. */
export async function runLeniently(
  programs: Programs,
  program: Program,
  target: ProgramTarget,
  args: string[],
): Promise<string[]> {
  const child = start(programs, program, target, args)
  child.stdin.end()
  child.stdout.resume()
  const finished = await finish(child)
  if (finished.errors === '' || programs.deadline?.aborted) refuseFailure(programs, program, finished)
  return finished.errors.split('\n').filter((line) => line !== '')
}

/** Runs a program and hands its standard output to `take`. If one of them fails, the other is ended. */
export async function readProgram(
  programs: Programs,
  program: Program,
  { target, args }: Side,
  take: (output: Readable) => Promise<unknown>,
): Promise<void> {
  const child = start(programs, program, target, args)
  child.stdin.end()
  const taken = take(child.stdout).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  const [ended, finished] = await Promise.allSettled([taken, finish(child)])
  if (ended.status === 'rejected') throw ended.reason
  if (finished.status === 'rejected') throw finished.reason
  refuseFailure(programs, program, finished.value)
}

/** Runs a program and yields its standard output as the caller takes it. The program is ended when the caller stops. */
export async function* programOutput(
  programs: Programs,
  program: Program,
  { target, args }: Side,
): AsyncGenerator<Buffer> {
  const child = start(programs, program, target, args)
  child.stdin.end()
  const finished = finish(child)
  finished.catch(() => undefined)
  try {
    for await (const bytes of child.stdout) yield bytes as Buffer
    refuseFailure(programs, program, await finished)
  } finally {
    child.kill('SIGKILL')
  }
}

/**
 * Runs a program with the standard input `input`. A program may be done before its input ends: the rest is left to the
 * caller, unbroken.
 */
export async function feedProgram(
  programs: Programs,
  program: Program,
  { target, args }: Side,
  input: Readable,
): Promise<void> {
  const child = start(programs, program, target, args)
  child.stdout.resume()
  const unwatch = onFinished(input, (error) => void (error && child.kill('SIGKILL')))
  // Unlike a pipeline, it leaves the input whole when the program closes its end.
  input.pipe(child.stdin)
  try {
    refuseFailure(programs, program, await finish(child))
  } finally {
    unwatch()
    input.unpipe(child.stdin)
  }
}

type Side = { readonly target: ProgramTarget; readonly args: string[] }

/** Sends what `pg_dump` writes to `pg_restore`, without a file between. If one fails, the other is ended. */
export async function pipeDump(programs: Programs, from: Side, to: Side): Promise<void> {
  const dump = start(programs, 'pg_dump', from.target, from.args)
  const restore = start(programs, 'pg_restore', to.target, to.args)
  dump.stdin.end()
  restore.stdout.resume()
  dump.stdout.pipe(restore.stdin)
  const restoring = finish(restore)
  const end = (isRestored: boolean) => {
    // A restore may be done before the dump, whose rest nobody needs. A pipe that is still there would stop it again.
    dump.stdout.unpipe(restore.stdin).resume()
    if (!isRestored) dump.kill('SIGKILL')
  }
  dump.stdout.on('error', () => end(false))
  restoring.then(
    ({ code }) => end(code === 0),
    () => end(false),
  )
  const [dumped, restored] = await Promise.all([finish(dump), restoring])
  refuseFailure(programs, 'pg_restore', restored)
  refuseFailure(programs, 'pg_dump', dumped)
}

function start(
  { path, deadline }: Programs,
  program: Program,
  target: ProgramTarget | undefined,
  args: string[],
): ChildProcessWithoutNullStreams {
  const { database, password } = target ? connectionOf(target.url) : {}
  const options = database === undefined ? [] : [`--dbname=${database}`]
  const env = {
    ...(path && { PATH: path }),
    ...(password && { PGPASSWORD: password }),
    ...(target?.options && { PGOPTIONS: target.options }),
    PGAPPNAME: PROGRAM_NAME,
    LC_ALL: 'C',
  }
  const child = startProcess(program, ['--no-password', ...options, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const end = () => child.kill('SIGKILL')
  if (deadline?.aborted) end()
  deadline?.addEventListener('abort', end, { once: true })
  child.once('close', () => deadline?.removeEventListener('abort', end))
  return child as ChildProcessWithoutNullStreams
}

/** Keeps the password out of the arguments, which every user of the machine can see. */
function connectionOf(url: string): { database: string; password: string } {
  const parsed = new URL(url)
  const password = decodeURIComponent(parsed.password)
  parsed.password = ''
  const others = parsed.searchParams.keys().filter((name) => !CONNECTION_PARAMETERS.includes(name))
  for (const name of others.toArray()) parsed.searchParams.delete(name)
  return { database: parsed.href, password }
}

async function finish(child: ChildProcess): Promise<Finished> {
  const errors = child.stderr ? text(child.stderr) : ''
  child.stdin?.on('error', () => undefined)
  const [code] = (await once(child, 'close').catch((error: unknown) => {
    throw notFound(error)
  })) as [number | null]
  return { code, errors: await errors }
}

function refuseFailure({ deadline, afterDeadline = '' }: Programs, program: Program, { code, errors }: Finished): void {
  if (code === 0) return
  if (deadline?.aborted) throw new ServiceError('CONFLICT', `${program} was not done in time${afterDeadline}.`)
  throw new ServiceError(
    'CONFLICT',
    `${program} failed: ${errors.trim().slice(0, MAX_ERROR_CHARS) || `exit code ${code}`}`,
  )
}

function notFound(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') return error
  return new ServiceError(
    'INVALID_REQUEST',
    'pg_dump and pg_restore are not on the PATH. Install the client programs of Postgres (on Debian the package postgresql-client) and run this again.',
  )
}
