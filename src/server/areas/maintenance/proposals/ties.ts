import type { ChangedSetting, SettingChange } from '../settings/changes-store.ts'

/** How a person caused a change. Those who started its run are closer to it than those who changed a setting. */
export type Tie = {
  readonly rank: 1 | 2
  /** A sentence without its full stop. */
  readonly text: string
}

type Causes = {
  /** The person who started the run by hand. */
  readonly requestedBy: string | null
  /** The person whose change of the schedule made the run due. */
  readonly dueBy: string | null
  /** Changes of settings in the 24 hours before the proposal or the decision. */
  readonly changes: readonly SettingChange[]
}

const SETTINGS: Record<ChangedSetting, string> = {
  schedule: 'the schedule',
  model: 'the model',
  organization_switch: "the organization's switch",
  app_switch: "the app's switch",
}

/** Returns how a person caused a change, or undefined if they did not. */
export function findTie({ requestedBy, dueBy, changes }: Causes, userId: string): Tie | undefined {
  if (userId === requestedBy) return { rank: 2, text: 'You started the run that made this change' }
  if (userId === dueBy) return { rank: 1, text: 'You changed the schedule, which made the run of this change due' }
  const change = changes.find(({ user_id }) => user_id === userId)
  if (!change) return undefined
  const settings = change.changed.map((setting) => SETTINGS[setting]).join(' and ')
  const when = change.isRecent ? 'in the last 24 hours' : 'in the 24 hours before this change'
  return { rank: 1, text: `You changed ${settings} of the maintenance agent ${when}` }
}
