import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { startDeploy } from '#contract/apps/deploys.ts'
import type { Revision } from '#contract/apps/revisions.ts'
import type { Client } from '#contract/core/client.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import { outcomeOf, untilDeployed } from '../../source/follow-deploy.ts'
import { sendRevision } from '../../source/send-revision.ts'
import { findFiles } from '../../source/walk.ts'
import type { Cli } from '../../terminal/cli.ts'
import { Unsuccessful } from '../../terminal/exit.ts'
import { show } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'

type Flags = OutputFlags & LoginFlags & { dir?: string; message?: string; follow?: boolean }

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const revision = await uploadFolder(client, alias, flags, cli)
  const input = { alias, revision_id: revision.id }
  const started = await cli.progress(
    'Starting the deploy',
    client.call(startDeploy, input, { idempotencyKey: randomUUID() }),
  )
  if (!flags.follow) {
    show(
      cli,
      flags.output,
      { revision, deploy: started },
      () => `Deploy ${started.id} of ${alias} is ${started.state}.`,
    )
    return
  }
  const deploy = await untilDeployed(client, alias, started, cli.note)
  show(cli, flags.output, { revision, deploy }, () => outcomeOf(alias, deploy))
  if (deploy.state !== 'live') throw new Unsuccessful()
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
