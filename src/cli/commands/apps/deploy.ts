import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { startDeploy } from '#contract/apps/deploys.ts'
import type { Revision } from '#contract/apps/revisions.ts'
import type { Client } from '#contract/core/client.ts'
import { clientCommand } from '../../call/client-command.ts'
import { outcomeOf, untilDeployed } from '../../source/follow-deploy.ts'
import { lastLinesOf } from '../../source/last-lines.ts'
import { sendRevision } from '../../source/send-revision.ts'
import { findFiles } from '../../source/walk.ts'
import type { Cli } from '../../terminal/cli.ts'
import { printable } from '../../terminal/printable.ts'

type Flags = { dir?: string; message?: string; follow?: boolean }

export const { run } = clientCommand(async (client, [alias]: [string], flags: Flags, cli) => {
  const revision = await uploadFolder(client, alias, flags, cli)
  noteStoredMessage(revision, flags.message, cli)
  const input = { alias, revision_id: revision.id }
  const starting = client.call(startDeploy, input, { idempotencyKey: randomUUID() })
  const started = await cli.progress('Starting the deploy', starting)
  if (!flags.follow) {
    const text = `Deploy ${started.id} of ${alias} is ${started.state}.`
    return { document: { revision, deploy: started }, text }
  }
  const deploy = await untilDeployed(client, alias, started, cli.note)
  const notes = await lastLinesOf(client, alias, deploy, cli)
  return { document: { revision, deploy }, text: outcomeOf(alias, deploy), notes, isFailure: deploy.state !== 'live' }
})

/** The same files are the same revision, which never changes, so its first message stays. */
function noteStoredMessage({ id, message }: Revision, typed: string | undefined, { note }: Cli): void {
  if (typed === undefined || typed === message) return
  const stored = message === null ? 'no message' : `the message "${printable(message)}"`
  note(`The files are those of revision ${id}, which was stored with ${stored}. The new message is not stored.`)
}

async function uploadFolder(client: Client, alias: string, flags: Flags, cli: Cli): Promise<Revision> {
  const folder = resolve(flags.dir ?? '.')
  const { files, skipped } = await cli.progress('Reading the folder', findFiles(folder))
  for (const path of skipped.slice(0, 10)) cli.note(`Warning: left out ${printable(path)}, because it is not a file.`)
  if (skipped.length > 10) cli.note(`Warning: left out ${skipped.length - 10} more, because they are not files.`)
  let label = 'Comparing files'
  const sending = sendRevision(client, {
    alias,
    files,
    message: flags.message ?? null,
    onUpload: ({ count, bytes }) => {
      label = `Uploading ${count} of ${files.length} files`
      cli.note(`Uploading ${count} of ${files.length} files (${bytes} bytes).`)
    },
    onProgress: ({ sentBytes, totalBytes = sentBytes }) => {
      label = `Uploading: ${Math.floor((sentBytes / totalBytes) * 100)} %`
    },
  })
  return cli.progress(() => label, sending)
}
