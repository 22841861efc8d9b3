import { appStatus } from '#contract/apps/app-status.ts'
import { type App, type AppSettings, changeApp, createApp, deleteApp, listApps, readApp } from '#contract/apps/apps.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'
import { usageError } from '../../command/hinted-error.ts'
import type { Cli } from '../../terminal/cli.ts'
import { type Pair, toPairs } from '../../terminal/table.ts'

type SettingFlags = { name?: string; build?: string; start?: string; healthPath?: string }

export const list = listCommand(listApps, {
  label: 'Listing apps',
  header: ['ALIAS', 'STATE', 'NAME', 'ADDRESS'],
  cut: ['NAME'],
  row: (app) => [app.alias, stateOf(app), app.name, app.url ?? '-'],
  none: (_, __, { config }) =>
    `There are no apps yet. Create one: ${config.program} apps create <alias> --start <command>`,
})

export const create = callCommand(createApp, {
  input: ([alias], flags: SettingFlags) => ({ alias, ...givenSettings(flags) }),
  label: ([alias]) => `Creating ${alias}`,
  text: (_, [alias]) => `Created the app ${alias}.`,
  notes: ({ url }) => (url === null ? [] : [`Once it is deployed it answers at ${url}`]),
})

export const show = callCommand(readApp, {
  input: ([alias]) => ({ alias }),
  text: (app, _, cli) => toPairs(pairsOf(app, cli)),
})

export const change = callCommand(changeApp, {
  check: (_, flags: SettingFlags) => {
    if (flags.name !== undefined || hasSettings(flags)) return
    throw usageError('Nothing to change. Give --name, --build, --start or --health-path.')
  },
  input: ([alias], flags) => ({ alias, ...givenSettings(flags) }),
  text: (_, [alias]) => `Changed ${alias}.`,
  notes: (_, __, ___, flags) => (hasSettings(flags) ? ['The settings take effect with the next deploy.'] : []),
})

export const remove = callCommand(deleteApp, {
  input: ([alias]) => ({ alias, confirm: alias }),
  confirm: ([alias]) => [`This deletes the app ${alias} with everything that belongs to it`, alias],
  text: (_, [alias]) => `Deleting ${alias}.`,
})

function pairsOf(app: App, cli: Cli): Pair[] {
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
    ['What changed', live?.revision_message || null],
    ['Latest deploy', latest ? [latest.id, latest.state, latest.failure_code].filter(Boolean).join(' ') : '-'],
    ['Created', cli.time(app.created_at)],
  ]
}

/** Returns in few words what an app does now and what became of its last deploy. */
function stateOf(app: App): string {
  const { now, later } = appStatus(app)
  const text = now.replaceAll('_', ' ')
  return later === undefined ? text : `${text}, last deploy ${later}`
}

/** Returns the input keys for the options that were given. An empty command means none. */
function givenSettings(flags: SettingFlags): { name?: string; settings: Partial<AppSettings> } {
  const { name, build, start, healthPath } = flags
  return {
    ...(name !== undefined && { name }),
    settings: {
      ...(build !== undefined && { build_command: build || null }),
      ...(start !== undefined && { start_command: start || null }),
      ...(healthPath !== undefined && { health_path: healthPath }),
    },
  }
}

function hasSettings(flags: SettingFlags): boolean {
  return Object.keys(givenSettings(flags).settings).length > 0
}
