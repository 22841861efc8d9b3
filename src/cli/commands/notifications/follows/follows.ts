import type { z } from 'zod'
import type { FollowCategory } from '#contract/core/event-definition.ts'
import { type FollowWay, listFollows, setFollow } from '#contract/notifications/follows.ts'
import type { Timing } from '#contract/notifications/subscriptions.ts'
import { mailNote } from '../../../call/mail-note.ts'
import { callCommand, listCommand } from '../../../call/operation-command.ts'
import { usageError } from '../../../command/hinted-error.ts'
import { statusText } from '../../../terminal/status-text.ts'

type SetFlags = { category?: FollowCategory[]; frequency?: z.infer<typeof Timing>; via?: FollowWay }

export const list = listCommand(listFollows, {
  label: 'Listing follows',
  header: ['APP', 'CATEGORIES', 'FREQUENCY', 'VIA', 'LAST EVENT', 'OUTCOME'],
  cut: ['OUTCOME', 'CATEGORIES'],
  row: ({ app, categories, frequency, via, last_outcome }) => [
    app.alias ?? app.id,
    categories.join(' '),
    frequency,
    via,
    last_outcome?.event_type ?? 'none yet',
    last_outcome === null ? '' : statusText(last_outcome),
  ],
  none: (_, __, { config }) => `You follow no apps. Follow one with: ${config.program} notifications follows set`,
})

export const set = callCommand(setFollow, {
  check: ([app], { category = [] }: SetFlags, { config }) => {
    if (category.length > 0) return
    const next = `To stop following the app: ${config.program} notifications follows remove ${app}`
    throw usageError(`Name at least one category with --category. ${next}`)
  },
  input: ([app], { category = [], frequency, via }) => ({
    app,
    categories: category,
    ...(frequency && { frequency }),
    ...(via && { via }),
  }),
  text: ({ categories, frequency, via }, [app]) =>
    `You follow ${app}: ${categories.join(', ')}, ${frequency}${via === 'mail' ? ', by mail' : ''}.`,
  notes: async ({ via }, _, cli, flags, client) => {
    const line = via === 'mail' ? await mailNote(client, flags, cli) : undefined
    return line === undefined ? [] : [line]
  },
})

export const remove = callCommand(setFollow, {
  input: ([app]) => ({ app, categories: [] }),
  text: (_, [app]) => `You do not follow ${app} any more.`,
})
