import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { Key } from '#lib/archive/encrypt.ts'
import { checkBackup } from '../../../src/server/commands/backup/read-backup.ts'
import { type ServerProcess, startProcess } from '../programs/processes.ts'
import { svcServer } from '../programs/svc-server.ts'
import { seeded } from '../seeded.ts'
import { until } from '../until.ts'
import { type BackupGround, embeddedGround, postgresGround } from './grounds.ts'
import { askAll, clientOf, fillInstallation, invite, type Outside, startOutside } from './installation.ts'
import { type BackupFaults, createKillRounds } from './kill-rounds.ts'

type Options = {
  readonly engine: 'embedded' | 'postgres'
  readonly questions: number
  /** Places of an archive at which a bit is changed. */
  readonly flips: number
  readonly seed: number
}

type BackupReport = BackupFaults & {
  readonly seed: number
  readonly counts: Readonly<Record<string, number>>
  /** Questions that the restored installation answers differently. */
  readonly different: number
  /** Messages that the restored installation sent, although they were in the backup. */
  readonly sentAgain: readonly string[]
  /** Places of changed bits that reading the archive did not find. */
  readonly unnoticed: readonly number[]
}

/** Backs up, restores and verifies an installation that runs, with kills at random moments. */
export async function backupKills({ kills, ...options }: Options & { readonly kills: number }): Promise<BackupReport> {
  await using proof = await prepareBackupKills(options)
  await proof.measure()
  for (let round = 0; round < kills; round++) await proof.kill(round)
  return await proof.compare()
}

/** The same in steps: `measure`, a `kill` for each round, and `compare`. */
export async function prepareBackupKills({ engine, questions, flips, seed }: Options) {
  await using onFailure = new AsyncDisposableStack()
  const random = seeded(seed)
  const folder = mkdtempSync(join(tmpdir(), 'svc-backup-kills-'))
  onFailure.defer(() => rmSync(folder, { recursive: true, force: true }))
  const [archives, temporary, keyFile] = ['archives', 'tmp', 'key'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(archives)
  mkdirSync(temporary)
  const privateKey = await generateX25519Identity()
  writeFileSync(keyFile, privateKey)
  const outside = await startOutside(onFailure)
  const options = { folder, common: outside.env }
  const ground = engine === 'embedded' ? await embeddedGround(options) : await postgresGround(onFailure, options)
  const server = await startProcess(ground.env)
  const publicKey = await identityToRecipient(privateKey)
  const setting = { ground, folder: archives, temporary, key: { privateKey }, keyFile, publicKey, random }
  const rounds = createKillRounds(setting, server)
  onFailure.defer(() => rounds.state.server[Symbol.asyncDispose]())
  const filled = await fillInstallation(server.url, ground.env.SVC_OPERATOR_TOKEN!, outside)
  const before = await askAll(clientOf(server.url, filled.token), questions)
  const stack = onFailure.move()
  return {
    measure: () => rounds.measure(),
    kill: (round: number) => rounds.kill(round),
    faults: rounds.faults,
    /** Compares the installation that the last archive restores with the one that was backed up. */
    async compare(): Promise<BackupReport> {
      await rounds.restoreLast()
      await rounds.state.server[Symbol.asyncDispose]()
      const { after, sentAgain } = await tryRestored(ground, outside, filled, questions)
      return {
        seed,
        counts: rounds.counts,
        ...rounds.faults,
        different: before.filter((answer, i) => answer !== after[i]).length,
        sentAgain,
        unnoticed: await findUnnoticed(rounds.state.archive, { privateKey }, { flips, random }),
      }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

type Filled = Awaited<ReturnType<typeof fillInstallation>>

/** Starts the restored installation while every message is accepted, and waits until it has sent one of its own. */
async function tryRestored(
  ground: BackupGround,
  { mail, counts }: Outside,
  { org_id, token }: Filled,
  questions: number,
) {
  counts.isRefusing = false
  const sentBefore = mail.received.length
  const server: ServerProcess = await startProcess(ground.restoredEnv)
  const client = clientOf(server.url, token)
  const after = await askAll(client, questions)
  await invite(client, org_id, 'new@example.org')
  const newMails = () => mail.received.slice(sentBefore).flatMap(({ to }) => to)
  await until(() => newMails().includes('new@example.org'))
  await server[Symbol.asyncDispose]()
  const waiting = await svcServer(ground.restoredEnv, 'park-deliveries')
  const isNoneWaiting = waiting.stdout.includes('messages that wait or were being sent: 0')
  const again = newMails().filter((address) => address !== 'new@example.org')
  return { after, sentAgain: isNoneWaiting ? again : [...again, waiting.stdout] }
}

async function findUnnoticed(
  archive: string,
  key: Key,
  { flips, random }: { flips: number; random: () => number },
): Promise<number[]> {
  const bytes = readFileSync(archive)
  const unnoticed: number[] = []
  for (let i = 0; i < flips; i++) {
    const place = Math.floor(random() * bytes.length)
    const mask = 1 << Math.floor(random() * 8)
    bytes[place]! ^= mask
    const isFound = await checkBackup(async () => Readable.from([bytes]), key).then(
      () => false,
      () => true,
    )
    if (!isFound) unnoticed.push(place)
    bytes[place]! ^= mask
  }
  return unnoticed
}
