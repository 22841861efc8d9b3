import type { z } from 'zod'
import type { createInvitation } from '#contract/auth/members.ts'
import type { Cli } from '../../terminal/cli.ts'
import { printable } from '../../terminal/printable.ts'

type Invitation = z.infer<(typeof createInvitation)['output']>

export function invitationLines({ email, role, link, expires_at }: Invitation, cli: Cli): string[] {
  return [`Invited ${printable(email)} as ${role}. The link is valid once, until ${expires_at}:`, cli.strong(link)]
}
