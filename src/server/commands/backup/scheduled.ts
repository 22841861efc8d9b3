import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { ServiceError } from '#contract/core/errors.ts'
import { readSettings } from '../../config/config.ts'
import type { Environment } from '../../config/reader.ts'
import { isBucketAddress } from './address.ts'
import { openBucket } from './bucket.ts'
import { saveTo } from './command.ts'
import { verify } from './verify.ts'

type Print = (line: string) => void

const NAME = /(?:^|\/)svc-\d{8}T\d{6}Z\.age$/

/**
 * Makes a backup as the schedule of the settings says, verifies it and removes the oldest ones. Its last line is the
 * result, for the worker. The private key of the backups is not here, so the backup is also made for a key that exists
 * during this run only, and is verified with that.
 */
export async function runScheduled(env: Environment, print: Print, maxHours: number): Promise<void> {
  const { backup, databaseUrl } = readSettings(env)
  if (!backup) throw new ServiceError('INVALID_REQUEST', 'No backups are scheduled. Set SVC_BACKUP_TO.')
  const folder = openFolder(backup.place, env)
  const address = await folder.newName(new Date())
  const privateKey = await generateX25519Identity()
  const publicKeys = [...backup.publicKeys, await identityToRecipient(privateKey)]
  await saveTo(address, { publicKeys }, { env, print, maxHours })
  const canVerify = databaseUrl === undefined || env.SVC_BACKUP_VERIFY_URL !== undefined
  if (canVerify) await verify(address, { privateKey }, { env, print, maxHours })
  const all = await folder.list()
  for (const old of all.slice(0, -backup.keep)) await folder.remove(old)
  print(JSON.stringify({ place: address, bytes: await folder.bytesOf(address), is_verified: canVerify }))
}

type Folder = {
  newName(now: Date): Promise<string>
  /** Returns the backups, the oldest first. */
  list(): Promise<string[]>
  remove(address: string): Promise<void>
  bytesOf(address: string): Promise<number>
}

function openFolder(place: string, env: Environment): Folder {
  const base = place.replace(/\/$/, '')
  if (isBucketAddress(place)) {
    return {
      newName: async (now) => `${base}/${nameOf(now)}`,
      list: async () => (await openBucket(`${base}/svc-`, env).list()).filter((address) => NAME.test(address)),
      remove: (address) => openBucket(address, env).remove(),
      bytesOf: (address) => openBucket(address, env).bytes(),
    }
  }
  return {
    newName: async (now) => {
      await mkdir(base, { recursive: true, mode: 0o700 })
      return join(base, nameOf(now))
    },
    list: async () => {
      const names = (await readdir(base)).filter((name) => NAME.test(name))
      return names.toSorted().map((name) => join(base, name))
    },
    remove: (address) => rm(address),
    bytesOf: async (address) => (await stat(address)).size,
  }
}

function nameOf(now: Date): string {
  return `svc-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.age`
}
