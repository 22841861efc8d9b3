import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { checkBackup } from '../../src/server/commands/backup/read-backup.ts'
import { type Floor, requireFloors } from '../help/floors.ts'
import { PG_BIN, startStores, storesMissing } from '../help/stores.ts'
import { startInstallation } from './database.ts'
import { type Run, refusedBackupMb, runBackup, runDump } from './measure.ts'

/**
 * Measures a backup of a managed database with vectors and text on Postgres: the peak memory of the command, and its speed
 * as a ratio to `pg_dump --format=custom` of the same database to a file. Rounds alternate, so that a busy machine slows
 * both; the ratios are what counts. `--gb 1` chooses another size than 5 GB.
 *
 * The goal of speed is judged by `pg_dump` as it is by default, because that does the comparable work: it writes a
 * compressed dump. `pg_dump --compress=0` only copies, so a backup cannot reach it where the server of Postgres leaves no
 * processor idle; the ratio to it is printed too. A backup does more than both: it also encrypts, makes digests and counts
 * the rows of every table.
 *
 * Memory is that of the command alone, without `pg_dump`. Its limit holds at each size, also in CI.
 */
const tenth = process.argv.includes('--tenth')
const GB = 1024 ** 3
const size = process.argv.indexOf('--gb')
const BYTES = tenth ? 100 * 1024 ** 2 : (size < 0 ? 5 : Number(process.argv[size + 1])) * GB
const ROUNDS = tenth ? 1 : 3
const MAX_MB = 100
const MIN_RATIO = 0.7

const missing = storesMissing()
if (missing) {
  console.log(`left out: ${missing}`)
  process.exit(tenth ? 0 : 1)
}
const dir = mkdtempSync(join(tmpdir(), 'svc-backup-run-'))
const stack = new AsyncDisposableStack()
stack.defer(() => rmSync(dir, { recursive: true, force: true }))
try {
  const stores = stack.use(await startStores())
  const { env, url } = stack.use(await startInstallation(stores.databaseUrl, join(dir, 'data'), BYTES))
  const [archive, dump, pgDump] = [join(dir, 'backup.age'), join(dir, 'dump'), join(PG_BIN, 'pg_dump')]
  const privateKey = await generateX25519Identity()
  const publicKey = await identityToRecipient(privateKey)
  const baseMb = await refusedBackupMb(env, join(dir, 'no-folder', 'backup.age'), publicKey)
  const line = ({ ms, cpuSeconds, bytes }: Run) =>
    `${(ms / 1000).toFixed(1)} s (${cpuSeconds.toFixed(1)} s of a processor), ${(bytes / 1024 ** 2).toFixed(0)} MB`
  const rounds: { plain: Run; ours: Run }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const plain = await runDump(pgDump, url, dump, ['--compress=0'])
    const ours = await runBackup(env, archive, publicKey)
    rounds.push({ plain, ours })
    console.log(
      `pg_dump --compress=0: ${line(plain)}; backup: ${line(ours)}, peak ${ours.peakMb.toFixed(0)} MB ` +
        `(${ours.peakShareMb.toFixed(0)} MB with shared pages divided, ${baseMb.toFixed(0)} MB before it begins); ` +
        `load ${loadavg()[0]!.toFixed(1)}`,
    )
  }
  // Once only, because it takes several times as long.
  const compressed = await runDump(pgDump, url, dump, [])
  console.log(`pg_dump: ${line(compressed)}`)
  const read = async () => (await open(archive, 'r')).createReadStream()
  const { manifest } = await checkBackup(read, { privateKey })
  const ofPlain = median(rounds.map(({ plain, ours }) => plain.ms / ours.ms))
  const ofCompressed = compressed.ms / median(rounds.map(({ ours }) => ours.ms))
  const peakMb = Math.max(...rounds.map(({ ours }) => ours.peakMb))
  console.log(
    `speed of ${ROUNDS} rounds, medians: ${ofCompressed.toFixed(2)} of pg_dump, ${ofPlain.toFixed(2)} of pg_dump --compress=0`,
  )
  const floors: Floor[] = [
    { name: 'peak memory of the command in MB', value: peakMb, atMost: MAX_MB },
    {
      name: 'databases that were saved',
      value: manifest.databases.filter(({ state }) => state === 'saved').length,
      atLeast: 1,
    },
  ]
  // Judged in a full run only, because CI's machine is busy with other work.
  if (!tenth) floors.push({ name: 'speed, of pg_dump', value: ofCompressed, atLeast: MIN_RATIO })
  requireFloors(floors)
} finally {
  await stack.disposeAsync()
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
