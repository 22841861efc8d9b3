import type { z } from 'zod'
import { ServiceError } from '#contract/core/errors.ts'
import type { FollowCategory } from '#contract/core/event-definition.ts'
import { setFollow } from '#contract/notifications/follows.ts'
import type { Timing } from '#contract/notifications/subscriptions.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { category?: FollowCategory[]; frequency?: z.infer<typeof Timing> }

export async function run([app]: [string], flags: Flags, cli: Cli): Promise<void> {
  const { category = [], frequency } = flags
  if (category.length === 0) {
    const next = `To stop following the app: svc notifications follows remove ${app}`
    throw new ServiceError('INVALID_REQUEST', `Name at least one category with --category. ${next}`)
  }
  const client = await openClient(flags, cli)
  const follow = await client.call(setFollow, { app, categories: category, ...(frequency && { frequency }) })
  show(cli, flags.output, follow, () => `You follow ${app}: ${follow.categories.join(', ')}, ${follow.frequency}.`)
}
