import { deleteOrg, undoOrgDeletion } from '#contract/auth/deletions.ts'
import { askToConfirm, clientCommand } from '../../call/client-command.ts'
import { ownOrg } from '../../call/own-org.ts'
import type { ConfirmFlags } from '../../command/command.ts'

export const remove = clientCommand(async (client, _, { yes }: ConfirmFlags, cli) => {
  const { id: org_id, name, slug } = await ownOrg(client)
  await askToConfirm(cli, yes, `This deletes ${name} with its apps, databases and people in seven days`)
  const answer = await client.call(deleteOrg, { org_id, confirm: slug })
  const text = `${name} will be deleted at ${answer.deletion.due_at}. Until then nothing changes, and this undoes it: ${cli.config.program} org undelete`
  return { document: answer, text }
})

export const undo = clientCommand(async (client) => {
  const { id: org_id, name } = await ownOrg(client)
  const answer = await client.call(undoOrgDeletion, { org_id })
  return { document: answer, text: `${name} will not be deleted.` }
})
