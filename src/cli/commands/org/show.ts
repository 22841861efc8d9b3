import { readOrgDeletion } from '#contract/auth/deletions.ts'
import { readOrg } from '#contract/auth/members.ts'
import { clientCommand } from '../../call/client-command.ts'
import { ownOrgInput } from '../../call/own-org.ts'

export const show = clientCommand(async (client, _, __, cli) => {
  const input = await ownOrgInput(client)
  const organization = await client.call(readOrg, input)
  const { deletion } = await client.call(readOrgDeletion, input)
  const { id, name, slug, domains, created_at } = organization
  const lines = [
    `${name} (${slug})`,
    `Id:            ${id}`,
    `Email domains: ${domains.join(', ') || 'none'}`,
    `Created:       ${cli.time(created_at)}`,
    ...(deletion
      ? [`It will be deleted at ${deletion.due_at}. An owner can undo that: ${cli.config.program} org undelete`]
      : []),
  ]
  return { document: { ...organization, deletion }, text: lines.join('\n') }
})
