import { type App, readApp } from '#contract/apps/apps.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { toPairs } from '../../terminal/table.ts'
import { stateOf } from './state.ts'

export async function run([alias]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const app = await client.call(readApp, { alias })
  show(cli, flags.output, app, () => toPairs(pairsOf(app, cli)))
}

function pairsOf(app: App, cli: Cli): [string, string][] {
  const { settings, live_deploy: live, latest_deploy: latest } = app
  return [
    ['Alias', app.alias],
    ['Name', app.name],
    ['Id', app.id],
    ['State', stateOf(app)],
    ['Address', app.url ?? '-'],
    ['Build command', settings.build_command ?? '-'],
    ['Start command', settings.start_command ?? '-'],
    ['Health path', settings.health_path],
    ['Live revision', live ? `${live.revision_id}, ${cli.time(live.live_at)}` : '-'],
    ...(live?.revision_message ? [['What changed', live.revision_message] as [string, string]] : []),
    ['Latest deploy', latest ? [latest.id, latest.state, latest.failure_code].filter(Boolean).join(' ') : '-'],
    ['Created', cli.time(app.created_at)],
  ]
}
