import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { me } from '#contract/auth/members.ts'
import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { connect } from '../../../call/api.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import { usageError } from '../../../command/hinted-error.ts'
import { requireLogin } from '../../../login/credentials.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { Unsuccessful } from '../../../terminal/exit.ts'
import { show } from '../../../terminal/output.ts'
import { printable } from '../../../terminal/printable.ts'
import { Archive } from './archive.ts'
import { addApps, addDatabases, addSources } from './listed-parts.ts'
import { manifestOf } from './manifest.ts'
import { ORG_PARTS } from './org-parts.ts'
import { createReader, type Reader } from './reader.ts'

type ExportFlags = LoginFlags & OutputFlags & { readonly force?: boolean }

const MIB = 1024 * 1024

export const exportOrg = {
  async run([file]: readonly string[], flags: ExportFlags, cli: Cli): Promise<void> {
    const path = resolve(file!)
    if (!flags.force && existsSync(path)) throw usageError(`${path} exists already. Add --force to replace it.`)
    const login = await requireLogin(cli.config, flags.context)
    const client = connect(login, cli, flags.timeout)
    const about = await requireOwner(client)
    await using archive = await Archive.open(path)
    const manifest = await fill(archive, createReader(client, login, cli), about, cli)
    await archive.finish()
    for (const { file: name, reason } of archive.failures) cli.note(printable(`Not exported: ${name}: ${reason}`))
    const text = `Exported ${about.organization.name} to ${path}: ${archive.entries.length} files, ${megabytes(archive.bytes)}.`
    show(cli, flags.output, manifest, () => printable(text))
    if (archive.failures.length > 0) throw new Unsuccessful()
  },
}

async function requireOwner(client: Client) {
  const { org, role, user } = await client.call(me, {})
  if (org === null) throw new ServiceError('FORBIDDEN', 'You do not belong to an organization.')
  if (role !== 'owner') {
    throw new ServiceError('FORBIDDEN', `Only an owner can export ${org.name}. Your role is ${role ?? 'none'}.`)
  }
  return { organization: org, exportedBy: user?.id ?? null, startedAt: new Date().toISOString() }
}

async function fill(archive: Archive, reader: Reader, about: Awaited<ReturnType<typeof requireOwner>>, cli: Cli) {
  let [current, waiting] = ['', '']
  const scope = { org_id: about.organization.id }
  const add: Archive['add'] = (name, write) => {
    current = name
    return archive.add(name, write)
  }
  const onWait = (seconds: number | undefined) => {
    waiting = seconds === undefined ? '' : `, waiting ${seconds} s`
  }
  const work = async () => {
    const target = { reader, archive, add }
    for (const { file, write } of ORG_PARTS) await add(file, (sink) => write(reader, scope, sink))
    await addSources(target)
    await addApps(target, scope)
    await addDatabases(target, onWait)
    const manifest = manifestOf(archive, about)
    await add('manifest.json', (sink) => sink.write(`${JSON.stringify(manifest, undefined, 2)}\n`))
    return manifest
  }
  return cli.progress(() => `Exporting ${current}, ${megabytes(archive.bytes)}${waiting}`, work())
}

function megabytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`
}
