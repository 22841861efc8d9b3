import { once } from 'node:events'
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { createDatabase, listDatabases, readConnection } from '#contract/databases.ts'
import { lockFolder } from '#lib/files/folder-lock.ts'
import { embeddedEnvironment } from '#test/embedded-environment.ts'
import { startFakeS3 } from '#test/outside/fake-s3.ts'
import { type ServerProcess, startProcess } from '#test/programs/processes.ts'
import { svcServer } from '#test/programs/svc-server.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { until } from '#test/until.ts'
import { checkBackup } from '../../src/server/commands/backup/read-backup.ts'
import type { Environment } from '../../src/server/config/reader.ts'

/** Real processes on the embedded database, as on a machine with nothing but Node. */
describe('OP-05 backup and restore of the embedded default', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-backup-'))
  const [original, copy, archive, keyFile] = ['original', 'copy', 'backup.age', 'key'].map((name) => join(folder, name))
  const base: Environment = { ...embeddedEnvironment(original!), SVC_EXAMPLE: 'false' }
  const restored: Environment = { ...base, SVC_DATA_DIR: copy! }
  let publicKey: string
  let server: ServerProcess | undefined
  let token: string

  const client = (bearer: string) =>
    createClient({ baseUrl: server!.url, fetch, headers: () => ({ authorization: `Bearer ${bearer}` }) })
  const stop = async () => {
    await server?.[Symbol.asyncDispose]()
    server = undefined
  }
  const inNotes = async (text: string) => {
    const { connection_string } = await client(token).call(readConnection, { name: 'notes' })
    return runIn(connection_string, text)
  }

  const portOf = (place: string) => readFileSync(join(place, 'databases', 'port'), 'utf8')

  beforeAll(async () => {
    const pair = await svcServer({}, 'backup', 'key')
    writeFileSync(keyFile!, pair.stdout)
    publicKey = /age1\w+/.exec(pair.stdout)![0]
    server = await startProcess(base)
    const { id } = await client(base.SVC_OPERATOR_TOKEN!).call(adminCreateOrg, { name: 'Saved' })
    const input = { org_id: id, email: 'a@example.com', role: 'admin', name: 'test' } as const
    token = (await client(base.SVC_OPERATOR_TOKEN!).call(adminCreateToken, input)).token
    await client(token).call(createDatabase, { name: 'notes' })
    await client(token).call(createApp, { alias: 'shop' })
    await inNotes('create table notes (id int); insert into notes select generate_series(1, 500)')
  })
  afterAll(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('a backup is made while the server runs, for a public key, and readable by its owner only', async () => {
    const done = await svcServer(base, 'backup', archive!, '--public-key', publicKey)
    expect(done).toMatchObject({ exit: 0, stderr: '' })
    const [first, ...lines] = done.stdout.trimEnd().split('\n')
    expect(first).toBe(`Saving to ${archive}: the database of svc first, then each managed database.`)
    expect(lines.map((line) => line.replaceAll(/\d+\.\d/g, 'N').replace(/mdb_\w+/, 'ID'))).toEqual([
      'The database of svc: N MB',
      'Database 1 of 1, notes (ID): N MB',
      `The backup is in ${archive}: N MB, in N s.`,
    ])
    expect(statSync(archive!).mode & 0o777).toBe(0o600)
    expect(existsSync(join(original!, 'backup-copies'))).toBe(false)
    expect(readFileSync(archive!, 'latin1')).not.toContain(base.SVC_DATA_KEY)
    // The server goes on, and what comes after is not in the backup.
    await inNotes('insert into notes values (501)')
  })

  it('without a key nothing is written, because a backup contains every secret', async () => {
    const place = join(folder, 'plain')
    const open = await svcServer(base, 'backup', place)
    expect(open).toMatchObject({ exit: 5, stdout: '' })
    expect(open.stderr).toContain('A backup contains every secret, so it is always encrypted.')
    expect(existsSync(place)).toBe(false)
    expect((await svcServer(base, 'backup', place, '--public-key', 'age1no')).stderr).toContain('is no public key')
    expect((await svcServer({ ...base, SVC_BACKUP_PASSPHRASE: 'short' }, 'backup', place)).stderr).toContain(
      '12 characters',
    )
    expect(await svcServer(base, 'backup', archive!, '--confirm')).toMatchObject({ exit: 5 })
    const nowhere = { ...base, SVC_DATA_DIR: join(folder, 'nowhere'), SVC_BACKUP_PASSPHRASE: 'long enough for us' }
    expect(await svcServer(nowhere, 'backup', place)).toMatchObject({ exit: 4, stdout: '' })
  })

  it('a second backup at the same time is refused, because the copies of the first one must stay', async () => {
    using _first = lockFolder(join(original!, 'backup-copies'))
    const second = await svcServer(base, 'backup', join(folder, 'second'), '--public-key', publicKey)
    expect(second).toMatchObject({ exit: 6, stdout: '' })
    expect(second.stderr).toContain('Another backup is being made')
  })

  it('verify proves that it can be restored, and finds a changed byte, a missing end and a wrong key', async () => {
    const good = await svcServer(base, 'backup', 'verify', archive!, '--key-file', keyFile!)
    expect(good).toMatchObject({ exit: 0, stderr: '' })
    expect(good.stdout).toContain('The backup is good.')
    const bytes = readFileSync(archive!)
    const damaged = join(folder, 'damaged')
    const changed = Buffer.from(bytes)
    changed[Math.floor(bytes.length / 2)]! ^= 1
    writeFileSync(damaged, changed)
    expect(await svcServer(base, 'backup', 'verify', damaged, '--key-file', keyFile!)).toMatchObject({ exit: 6 })
    writeFileSync(damaged, bytes.subarray(0, -100))
    expect(await svcServer(base, 'backup', 'verify', damaged, '--key-file', keyFile!)).toMatchObject({ exit: 6 })
    const other = { ...base, SVC_BACKUP_PASSPHRASE: 'not of this backup' }
    const closed = await svcServer(other, 'backup', 'verify', archive!)
    expect(closed).toMatchObject({ exit: 5 })
    expect(closed.stderr).toBe(
      'svc-server: The backup stays closed: it was made for a public key, and a passphrase does not open it. ' +
        'Name its private key with --key-file <file> or in SVC_BACKUP_PRIVATE_KEY.\n',
    )
    const without = await svcServer(base, 'backup', 'verify', archive!)
    expect(without).toMatchObject({ exit: 5, stdout: '' })
    expect(without.stderr).toContain('the private key with --key-file <file> or in SVC_BACKUP_PRIVATE_KEY')
    const malformed = { ...base, SVC_BACKUP_PRIVATE_KEY: 'age1public' }
    expect((await svcServer(malformed, 'backup', 'verify', archive!)).stderr).toContain(
      'SVC_BACKUP_PRIVATE_KEY is no private key: it begins with AGE-SECRET-KEY-1.',
    )
  })

  it('restore refuses a folder that is not empty, and one that needs Postgres', async () => {
    const full = await svcServer(base, 'restore', archive!, '--key-file', keyFile!)
    expect(full).toMatchObject({ exit: 6 })
    expect(full.stderr).toContain('is not empty. Restore into an empty folder')
    const elsewhere = { ...restored, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
    expect((await svcServer(elsewhere, 'restore', archive!, '--key-file', keyFile!)).stderr).toContain(
      'This is a backup of the embedded database. Unset DATABASE_URL',
    )
    expect((await svcServer(base, 'restore', '-', '--key-file', keyFile!)).stderr).toContain('read twice')
    expect((await svcServer(base, 'restore', join(folder, 'none'), '--key-file', keyFile!)).exit).toBe(4)
  })

  it('a restored copy has the rows, logins and tokens of the moment of the backup, and starts nothing by itself', async () => {
    await stop()
    const done = await svcServer(restored, 'restore', archive!, '--key-file', keyFile!)
    expect(done).toMatchObject({ exit: 0, stderr: '' })
    expect(done.stdout).toContain('Nothing was started.')
    expect(done.stdout).toContain('Its databases get a port of their own, so that the original can run beside it')
    expect(existsSync(join(copy!, 'databases', 'port'))).toBe(false)
    // As the original does, which is stopped.
    await using taken = createServer().listen(Number(portOf(original!)), '127.0.0.1')
    await once(taken, 'listening')
    server = await startProcess(restored)
    expect(await inNotes('select count(*)::int as n from notes')).toEqual([{ n: 500 }])
    expect((await client(token).call(listDatabases, {})).items.map(({ name }) => name)).toEqual(['notes'])
    expect(portOf(copy!)).not.toBe(portOf(original!))
    expect(server.output.join('\n')).not.toContain('another program has port')
  })

  describe('in a bucket', () => {
    const place = 's3://backups/monday/one.age'
    const passphrase = { SVC_BACKUP_PASSPHRASE: 'a passphrase of several words' }
    let fake: Awaited<ReturnType<typeof startFakeS3>>
    beforeAll(async () => {
      await stop()
      fake = await startFakeS3()
    })
    afterAll(() => fake?.[Symbol.asyncDispose]())

    it('a stopped installation is backed up too, with a passphrase, and verified also if the download breaks', async () => {
      const env = { ...restored, ...fake.env, ...passphrase }
      expect(await svcServer(env, 'backup', place)).toMatchObject({ exit: 0, stderr: '' })
      expect([...fake.objects.keys()]).toEqual(['backups/monday/one.age'])
      fake.breaks.push(100_000)
      expect(await svcServer(env, 'backup', 'verify', place)).toMatchObject({ exit: 0, stderr: '' })
      expect(fake.breaks).toEqual([])
    })

    it('it is restored also if the download breaks, and has the port of the original if that is asked for', async () => {
      fake.breaks.push(200_000)
      const fromBucket = { ...base, ...fake.env, ...passphrase, SVC_DATA_DIR: join(folder, 'from-bucket') }
      const done = await svcServer(fromBucket, 'restore', place, '--keep-port')
      expect(done).toMatchObject({ exit: 0, stderr: '' })
      expect(done.stdout).toContain('Its databases have the port of the original')
      expect(portOf(fromBucket.SVC_DATA_DIR)).toBe(portOf(copy!))
      expect(fake.breaks).toEqual([])
      server = await startProcess(fromBucket)
      expect(await inNotes('select count(*)::int as n from notes')).toEqual([{ n: 500 }])
      await stop()
    })
  })

  it('a scheduled backup is made by the worker, verified without the private key, and the oldest are removed', async () => {
    const place = join(folder, 'nightly')
    mkdirSync(place)
    for (const day of ['01', '02', '03']) writeFileSync(join(place, `svc-202601${day}T031500Z.age`), 'old')
    writeFileSync(join(place, 'notes.txt'), 'of the operator')
    const env = { ...restored, SVC_BACKUP_TO: place, SVC_BACKUP_KEEP: '2', SVC_BACKUP_PUBLIC_KEYS: publicKey }
    server = await startProcess(env)
    const names = () => readdirSync(place).toSorted()
    await until(() => names().length === 3)
    expect(names()).toEqual(['notes.txt', 'svc-20260103T031500Z.age', expect.stringMatching(/^svc-\d{8}T\d{6}Z\.age$/)])
    await stop()
    const newest = createReadStream(join(place, names()[2]!))
    const privateKey = /AGE-SECRET-KEY-1\w+/.exec(readFileSync(keyFile!, 'utf8'))![0]
    const { manifest } = await checkBackup(async () => newest, { privateKey })
    expect(manifest.databases).toMatchObject([{ name: 'notes', state: 'saved' }])
    const doctor = await svcServer(env, 'doctor')
    expect(doctor.stdout).toMatch(/backups/)
  })

  it('a schedule without a public key is refused at the start, because the passphrase would lie beside it', async () => {
    const env = { ...restored, SVC_BACKUP_TO: folder, SVC_BACKUP_PASSPHRASE: 'a passphrase of several words' }
    await expect(startProcess(env)).rejects.toThrow('SVC_BACKUP_PUBLIC_KEYS is required with SVC_BACKUP_TO')
    await expect(startProcess({ ...env, SVC_BACKUP_CRON: 'daily' })).rejects.toThrow('SVC_BACKUP_CRON:')
    expect((await svcServer(base, 'backup', 'scheduled')).stderr).toContain('No backups are scheduled.')
  })
})
