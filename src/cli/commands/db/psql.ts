import { spawn } from 'node:child_process'
import { readConnection } from '#contract/databases.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags } from '../../command/command.ts'
import type { Config } from '../../command/config.ts'
import { localError } from '../../command/hinted-error.ts'
import type { Cli } from '../../terminal/cli.ts'
import { Unsuccessful } from '../../terminal/exit.ts'
import { ignoreInterrupts } from '../../terminal/foreground.ts'

const KILLED = 1

export async function run([name, ...args]: [string, ...string[]], flags: LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { connection_string } = await cli.progress(`Opening ${name}`, client.call(readConnection, { name }))
  const { target, password } = withoutPassword(connection_string)
  const code = await runPsql([...args, target], password, cli.config)
  if (code !== 0) throw new Unsuccessful(code)
}

/** Takes the password out of the address, because everyone on this machine can see the arguments of a program. */
function withoutPassword(connectionString: string): { target: string; password: string } {
  const url = new URL(connectionString)
  const password = decodeURIComponent(url.password)
  url.password = ''
  return { target: url.href, password }
}

async function runPsql(args: readonly string[], password: string, config: Config): Promise<number> {
  const env = { ...config.environment, PGPASSWORD: password }
  const restore = ignoreInterrupts()
  try {
    return await new Promise<number>((resolve, reject) => {
      spawn('psql', args, { env, stdio: 'inherit' })
        .once('error', (error) => reject(notStarted(error, config)))
        .once('exit', (code) => resolve(code ?? KILLED))
    })
  } finally {
    restore()
  }
}

function notStarted(error: NodeJS.ErrnoException, { program }: Config): Error {
  const detail =
    error.code === 'ENOENT' ? 'psql is not installed on this machine' : `psql did not start: ${error.message}`
  return localError(`${detail}.`, error, `Install the PostgreSQL client, or use any other with ${program} db connect.`)
}
