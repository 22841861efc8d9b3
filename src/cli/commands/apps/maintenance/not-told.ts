import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { listFollows } from '#contract/notifications/follows.ts'
import { listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { isToldOfProposals } from '#contract/notifications/told-of-proposals.ts'
import type { Cli } from '../../../terminal/cli.ts'

/** Explains how to be told of proposals, if neither a channel nor the caller is. Returns nothing if that cannot be read. */
export async function notToldNotes(client: Client, alias: string, { config }: Pick<Cli, 'config'>): Promise<string[]> {
  try {
    const { items: subscriptions } = await client.call(listSubscriptions, {})
    const { items: follows } = await client.call(listFollows, {})
    if (isToldOfProposals(alias, { subscriptions, follows })) return []
    const others = follows.find(({ app }) => app.alias === alias)?.categories ?? []
    const categories = [...others, 'maintenance'].map((category) => `--category ${category}`).join(' ')
    return [
      `You are not told of proposals for ${alias}: no channel is subscribed to them, and you do not follow them. Follow them: ${config.program} notifications follows set ${alias} ${categories}`,
      `Or subscribe a channel: ${config.program} notifications subscriptions add "application.maintenance.*" <channel>`,
    ]
  } catch (error) {
    if (error instanceof ServiceError) return []
    throw error
  }
}
