import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { usageError } from '../command/hinted-error.ts'
import type { Cli } from './cli.ts'
import { Interrupted } from './exit.ts'

/** Asks for confirmation. Without a terminal it throws unless `--yes` was given. */
export async function confirm(cli: Cli, yes: boolean | undefined, what: string, answer = 'yes'): Promise<void> {
  if (yes) return
  if (!cli.interactive) throw usageError(`${what}. There is no terminal to confirm it on. Add --yes to confirm.`)
  const given = await read(cli, `${what}. Type ${answer} to continue: `, cli.streams.stderr)
  if (given.trim() === answer) return
  cli.note('Nothing was changed.')
  throw new Interrupted()
}

/** Asks for a secret without showing what is typed. */
export async function askSecret(cli: Cli, question: string): Promise<string> {
  cli.streams.stderr.write(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  try {
    return await read(cli, '', nowhere)
  } finally {
    cli.streams.stderr.write('\n')
  }
}

/** Reads one line. Throws Interrupted on Ctrl-C and at the end of the input. */
async function read(cli: Cli, question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: cli.streams.stdin, output, terminal: true })
  const interrupted = new Promise<never>((_, reject) => {
    const leave = () => reject(new Interrupted())
    lines.once('SIGINT', leave).once('close', leave)
  })
  try {
    return await Promise.race([lines.question(question), interrupted])
  } finally {
    lines.close()
  }
}
