import { listChecks } from '#contract/checks/checks.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { scheduleText, stateText } from './texts.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing checks', collect(client, listChecks, { alias }, flags.limit))
  showList(cli, flags.output, list, {
    header: ['NAME', 'KIND', 'STATE', 'SCHEDULE', 'LAST RUN'],
    cut: ['SCHEDULE'],
    row: (check) => [
      printable(check.name),
      check.definition.kind,
      stateText(check),
      printable(scheduleText(check.schedule)),
      cli.time(check.last_run_at),
    ],
    none: `${alias} has no checks yet. Create one: svc checks create ${alias} "Front page" --target /`,
  })
}
