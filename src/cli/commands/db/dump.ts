import { once } from 'node:events'
import { openClient } from '../../call/client.ts'
import { readDump } from '../../call/read-dump.ts'
import type { LoginFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { printableLines } from '../../terminal/printable.ts'

export async function run([name]: [string], flags: LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { stdout } = cli.streams
  for await (const sql of readDump(client, name, (seconds) => noteWait(cli, seconds))) {
    if (!stdout.write(stdout.isTTY ? printableLines(sql) : sql)) await once(stdout, 'drain')
  }
}

function noteWait(cli: Cli, seconds: number | undefined): void {
  if (seconds !== undefined) cli.note(`Other dumps are running. Trying again in ${seconds} seconds.`)
}
