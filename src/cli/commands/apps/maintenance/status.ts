import { readMaintenance } from '#contract/maintenance/runs.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'
import { printable } from '../../../terminal/printable.ts'
import { toPairs } from '../../../terminal/table.ts'
import { resultText, spentText } from './texts.ts'

export async function run([alias]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const status = await client.call(readMaintenance, { alias })
  const { settings, last_run: last } = status
  show(cli, flags.output, status, () =>
    toPairs([
      ['Maintenance', settings.enabled ? 'on' : 'off'],
      ['Model', printable(settings.model ?? '-')],
      ['Nightly', `${settings.nightly_cron} ${settings.timezone}`],
      ['Cooldown', `${settings.cooldown_hours} hours`],
      ['Latest run', last ? `${last.execution_id}, ${cli.time(last.created_at)}` : 'none yet'],
      ...(last ? ([['Result', resultText(last)]] as const) : []),
      ...(last?.tokens_spent ? ([['Spent', spentText(last)]] as const) : []),
      ...(last?.summary ? ([['Summary', printable(last.summary)]] as const) : []),
    ]),
  )
  if (!settings.enabled) cli.note(`Switch it on: ${cli.config.program} apps maintenance enable ${alias} --yes`)
}
