import { readMaintenance } from '#contract/maintenance/runs.ts'
import { changeAppMaintenance } from '#contract/maintenance/settings.ts'
import { callCommand } from '../../../call/operation-command.ts'
import { toPairs } from '../../../terminal/table.ts'
import { notToldNotes } from './not-told.ts'
import { modelNotes, resultText, spentText } from './texts.ts'

export const status = callCommand(readMaintenance, {
  input: ([alias]) => ({ alias }),
  text: ({ settings, last_run: last }, _, cli) =>
    toPairs([
      ['Maintenance', settings.enabled ? 'on' : 'off'],
      ['Model', settings.model ?? '-'],
      ['Nightly', `${settings.nightly_cron} ${settings.timezone}`],
      ['Cooldown', `${settings.cooldown_hours} hours`],
      ['Latest run', last ? `${last.execution_id}, ${cli.time(last.created_at)}` : 'none yet'],
      ['Result', last && resultText(last)],
      ['Spent', last?.tokens_spent ? spentText(last) : null],
      ['Summary', last?.summary || null],
      ['After deploy', last?.after_deploy?.text],
    ]),
  notes: ({ settings }, [alias], { config }) => [
    ...(settings.enabled ? [] : [`Switch it on: ${config.program} apps maintenance enable ${alias} --yes`]),
    ...modelNotes(settings.model),
  ],
})

export const enable = callCommand(changeAppMaintenance, {
  input: ([alias]) => ({ alias, enabled: true }),
  confirm: ([alias]) => [`This lets the maintenance agent read logs, source and checks of ${alias}`, alias],
  text: (_, [alias]) => `The maintenance agent is on for ${alias}.`,
  notes: async (_, [alias], cli, _flags, client) => [
    `Run it now: ${cli.config.program} apps maintenance run ${alias} --follow`,
    ...(await notToldNotes(client, alias, cli)),
  ],
})

export const disable = callCommand(changeAppMaintenance, {
  input: ([alias]) => ({ alias, enabled: false }),
  confirm: ([alias]) => [`This stops the maintenance agent of ${alias}, also a run that is under way`, alias],
  text: (_, [alias]) => `The maintenance agent is off for ${alias}. Its history stays.`,
})
