import { createApp } from '#contract/apps/apps.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { givenSettings, type SettingFlags } from './settings.ts'

type Flags = OutputFlags & LoginFlags & SettingFlags

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const app = await cli.progress(`Creating ${alias}`, client.call(createApp, { alias, ...givenSettings(flags) }))
  show(cli, flags.output, app, () => `Created the app ${alias}.`)
  if (app.url !== null) cli.note(`Once it is deployed it answers at ${app.url}`)
}
