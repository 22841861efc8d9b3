import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createRevision,
  diffRevisions,
  findMissingFiles,
  listRevisions,
  readRevision,
  uploadFiles,
  uploadRevision,
} from '#contract/apps/revisions.ts'
import { newApp, type TestApp } from '#test/apps/apps.ts'
import { type System, startSystem } from '#test/system.ts'
import { type TarPart, tarOf } from '#test/tar.ts'

let system: System
let app: TestApp
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system?.[Symbol.asyncDispose]())
beforeEach(async () => {
  app = await newApp(system)
})

const shaOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const entryOf = (path: string, content: string | Buffer, executable = false) => ({
  path,
  executable,
  size: Buffer.byteLength(content),
  sha256: shaOf(content),
})
const blobsOf = (...contents: (string | Buffer)[]) =>
  new Blob([tarOf(contents.map((content) => ({ name: shaOf(content), content })))])

const archive = (parts: readonly TarPart[]) =>
  app.client.upload(uploadRevision, { alias: app.alias }, new Blob([tarOf(parts)]))

const fetchFile = (revision: string, path: string) =>
  fetch(
    `${system.url}/api/deploy/deployments/${app.alias}/revisions/${revision}/file?path=${encodeURIComponent(path)}`,
    { headers: { authorization: `Bearer ${app.token}` } },
  )

describe('a revision of single files', () => {
  it('MA-15 only missing files travel, and the revision has them all', async () => {
    const { alias, client } = app
    const files = [
      entryOf('server.js', 'serve()', true),
      entryOf('a.txt', 'a'),
      entryOf('empty', ''),
      entryOf('b.txt', 'a'),
    ]
    const { missing } = await client.call(findMissingFiles, { alias, files })
    expect(missing.sort()).toEqual([shaOf('serve()'), shaOf('a'), shaOf('')].sort())
    expect(await client.upload(uploadFiles, { alias }, blobsOf('serve()', 'a', ''))).toEqual({ stored: 3 })
    expect((await client.call(findMissingFiles, { alias, files })).missing).toEqual([])
    const revision = await client.call(createRevision, { alias, files, message: 'first' })
    expect(revision).toMatchObject({
      file_count: 4,
      total_bytes: 9,
      message: 'first',
      id: expect.stringMatching(/^rev_/),
    })
    const shown = await client.call(readRevision, { alias, revision_id: revision.id })
    expect(shown.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt', 'empty', 'server.js'])
    expect(shown.files[3]).toEqual(entryOf('server.js', 'serve()', true))
    const next = [...files, entryOf('new', 'new')]
    expect((await client.call(findMissingFiles, { alias, files: next })).missing).toEqual([shaOf('new')])
    expect(await client.upload(uploadFiles, { alias }, blobsOf('a', 'new'))).toEqual({ stored: 1 })
  })

  it('MA-15 the same files in any order are the same revision', async () => {
    const { alias, client } = app
    await client.upload(uploadFiles, { alias }, blobsOf('a', 'b'))
    const files = [entryOf('a', 'a'), entryOf('b', 'b')]
    const first = await client.call(createRevision, { alias, files, message: 'first' })
    const again = await client.call(createRevision, { alias, files: files.toReversed(), message: 'again' })
    expect(again).toEqual(first)
    const other = await client.call(createRevision, { alias, files: [entryOf('a', 'a', true), entryOf('b', 'b')] })
    expect(other.digest).not.toBe(first.digest)
    const { items } = await client.call(listRevisions, { alias })
    expect(items.map(({ id }) => id)).toEqual([other.id, first.id])
  })

  it('MA-15 a revision without all its files is refused and not created', async () => {
    const { alias, client } = app
    await client.upload(uploadFiles, { alias }, blobsOf('a'))
    const files = [entryOf('a', 'a'), entryOf('b', 'b')]
    await expect(client.call(createRevision, { alias, files })).rejects.toMatchObject({
      code: 'REVISION_INCOMPLETE',
      message: 'Files of the revision are not stored: 1. Upload them, then create the revision again.',
      errors: [{ path: 'b', message: 'is not stored' }],
    })
    expect((await client.call(listRevisions, { alias })).items).toEqual([])
  })

  it('MA-15 a size that is not that of the content is refused', async () => {
    const { alias, client } = app
    await client.upload(uploadFiles, { alias }, blobsOf('a'))
    await expect(
      client.call(createRevision, { alias, files: [{ ...entryOf('a', 'a'), size: 5 }] }),
    ).rejects.toMatchObject({
      code: 'INVALID_REVISION',
      errors: [{ path: 'files.0.size', message: 'must be 1, the size of the file' }],
    })
  })

  it('MA-15 bad paths are refused by both questions, each with its place', async () => {
    const { alias, client } = app
    const files = [entryOf('../a', 'a'), entryOf('ok', 'a'), entryOf('/b', 'a')]
    const refusal = {
      code: 'INVALID_REVISION',
      message: 'files.0.path: must not contain the segment ..; files.2.path: must be relative, not begin with /',
      errors: [
        { path: 'files.0.path', message: 'must not contain the segment ..' },
        { path: 'files.2.path', message: 'must be relative, not begin with /' },
      ],
    }
    await expect(client.call(findMissingFiles, { alias, files })).rejects.toMatchObject(refusal)
    await expect(client.call(createRevision, { alias, files })).rejects.toMatchObject(refusal)
  })

  it('MA-15 a file that is not named by its content is refused, and what came before it is kept', async () => {
    const { alias, client } = app
    const wrong = tarOf([
      { name: shaOf('a'), content: 'a' },
      { name: shaOf('b'), content: 'B' },
    ])
    await expect(client.upload(uploadFiles, { alias }, new Blob([wrong]))).rejects.toMatchObject({
      code: 'INVALID_REVISION',
      errors: [{ path: shaOf('b'), message: `must be named ${shaOf('B')}, the SHA-256 of its content` }],
    })
    const named = new Blob([tarOf([{ name: 'server.js', content: 'a' }])])
    await expect(client.upload(uploadFiles, { alias }, named)).rejects.toMatchObject({
      errors: [{ path: 'server.js', message: 'must be a file named by its SHA-256' }],
    })
  })
})

describe('a revision of an archive', () => {
  const parts: TarPart[] = [
    { name: './', type: '5' },
    { name: './bin/', type: '5' },
    { name: './bin/run', content: 'run', mode: 0o755 },
    { name: './a.txt', content: 'a' },
  ]

  it('MA-15 tar and gzip give the same revision', async () => {
    const revision = await archive(parts)
    const shown = await app.client.call(readRevision, { alias: app.alias, revision_id: revision.id })
    expect(shown.files).toEqual([entryOf('a.txt', 'a'), entryOf('bin/run', 'run', true)])
    const zipped = new Blob([gzipSync(tarOf(parts))])
    const options = { contentType: 'application/gzip' }
    expect(await app.client.upload(uploadRevision, { alias: app.alias }, zipped, options)).toEqual(revision)
  })

  it.each<[what: string, parts: TarPart[], path: string, message: string]>([
    [
      'a path out of the folder',
      [{ name: '../../etc/cron.d/x' }],
      '../../etc/cron.d/x',
      'must not contain the segment ..',
    ],
    ['an absolute path', [{ name: '/etc/passwd' }], '/etc/passwd', 'must be relative, not begin with /'],
    ['a folder out of the folder', [{ name: '../x/', type: '5' }], '../x', 'must not contain the segment ..'],
    [
      'a link',
      [{ name: 'l', type: '2', link: '/etc' }, { name: 'l/passwd' }],
      'l',
      'is a symbolic link; links are not supported',
    ],
    ['a device', [{ name: 'null', type: '3' }], 'null', 'is a device file; only files and folders are supported'],
    ['a file that is named twice', [{ name: 'a' }, { name: './a' }], 'a', 'is named twice'],
    ['a file that is a folder', [{ name: 'a/', type: '5' }, { name: 'a' }], 'a', 'is both a file and a folder'],
    ['a file in a file', [{ name: 'a' }, { name: 'a/b' }], 'a', 'is also the folder of another file'],
    ['a git folder', [{ name: './.git/', type: '5' }], '.git', 'must not be in a .git folder; leave it out'],
    [
      'a pax path out of the folder',
      [{ name: 'x', type: 'x', content: '13 path=../b\n' }, { name: 'a' }],
      '../b',
      'must not contain the segment ..',
    ],
    ['nothing', [], 'files', 'must have at least one file'],
  ])('MA-15 %s is refused with the entry at fault, and no revision is created', async (_, hostile, path, message) => {
    await expect(
      archive([{ name: 'fine', content: 'fine' }, ...hostile].slice(hostile.length === 0 ? 1 : 0)),
    ).rejects.toMatchObject({
      code: 'INVALID_REVISION',
      errors: [{ path, message }],
    })
    expect((await app.client.call(listRevisions, { alias: app.alias })).items).toEqual([])
  })

  it('MA-15 an archive that is no gzip, or only half of one, is refused', async () => {
    const options = { contentType: 'application/gzip' }
    const half = gzipSync(tarOf([{ name: 'a', content: Buffer.alloc(20_000, 'a') }])).subarray(0, -20)
    for (const body of [Buffer.from('no gzip'), Buffer.from(half)]) {
      await expect(
        app.client.upload(uploadRevision, { alias: app.alias }, new Blob([body]), options),
      ).rejects.toMatchObject({ errors: [{ path: 'archive', message: 'is not valid gzip, or it is cut off' }] })
    }
  })
})

describe('reading', () => {
  it('MA-15 a file is answered as a download that no browser shows', async () => {
    const { id } = await archive([{ name: "dir/it's (1) ü.html", content: '<script>alert(1)</script>' }])
    const response = await fetchFile(id, "dir/it's (1) ü.html")
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('<script>alert(1)</script>')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''it%27s%20%281%29%20%C3%BC.html",
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  })

  it('MA-15 unknown apps, revisions and files, and those of other organizations, do not exist', async () => {
    const { alias, client } = app
    const { id } = await archive([{ name: 'a', content: 'a' }])
    expect((await fetchFile(id, 'b')).status).toBe(404)
    expect((await fetchFile('rev_none', 'a')).status).toBe(404)
    const other = await newApp(system)
    const sibling = { alias: other.alias, revision_id: id }
    await expect(other.client.call(readRevision, sibling)).rejects.toMatchObject({ message: 'No such revision.' })
    await expect(other.client.call(diffRevisions, sibling)).rejects.toMatchObject({ message: 'No such revision.' })
    await expect(other.client.call(listRevisions, { alias })).rejects.toMatchObject({ message: 'No such app.' })
    await expect(client.call(diffRevisions, { alias, revision_id: id, base: 'rev_none' })).rejects.toMatchObject({
      message: 'No such revision.',
    })
    const files = [entryOf('a', 'a')]
    expect(await other.client.call(findMissingFiles, { alias: other.alias, files })).toEqual({ missing: [shaOf('a')] })
    for (const call of [
      () => client.call(findMissingFiles, { alias: 'none', files }),
      () => client.call(createRevision, { alias: 'none', files }),
      () => client.upload(uploadFiles, { alias: 'none' }, blobsOf('a')),
      () => client.upload(uploadRevision, { alias: 'none' }, blobsOf('a')),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'No such app.' })
    }
  })

  it('MA-15 revisions are listed in pages, newest first', async () => {
    const { alias, client } = app
    const revisionIds = []
    for (const content of ['1', '2', '3']) revisionIds.unshift((await archive([{ name: 'a', content }])).id)
    const first = await client.call(listRevisions, { alias, limit: 2 })
    const rest = await client.call(listRevisions, { alias, limit: 2, cursor: first.next_cursor! })
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(revisionIds)
    expect(rest.next_cursor).toBeNull()
  })
})

describe('comparing', () => {
  it('MA-15 a diff has each changed file with its patch, made by the server', async () => {
    const { alias, client } = app
    const base = await archive([
      { name: 'same', content: 'same' },
      { name: 'a.txt', content: 'one\ntwo\nthree\n' },
      { name: 'gone', content: 'bye' },
      { name: 'mode', content: 'm' },
      { name: 'image', content: Buffer.from([0, 1, 2]) },
      { name: 'latin', content: Buffer.from([0xe9]) },
    ])
    const next = await archive([
      { name: 'same', content: 'same' },
      { name: 'a.txt', content: 'one\n2\nthree\n' },
      { name: 'mode', content: 'm', mode: 0o755 },
      { name: 'image', content: Buffer.from([0, 1, 3]) },
      { name: 'latin', content: Buffer.from([0xe8]) },
      { name: 'new', content: 'hi\n' },
    ])
    const shown = { mode: null, not_shown: null }
    const expected = {
      base: base.id,
      revision: next.id,
      truncated: false,
      files: [
        {
          path: 'a.txt',
          change: 'modified',
          ...shown,
          patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
        },
        {
          path: 'gone',
          change: 'removed',
          ...shown,
          patch: '--- a/gone\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-bye\n\\ No newline at end of file\n',
        },
        { path: 'image', change: 'modified', mode: null, patch: null, not_shown: 'binary' },
        { path: 'latin', change: 'modified', mode: null, patch: null, not_shown: 'binary' },
        { path: 'mode', change: 'modified', mode: 'executable', patch: null, not_shown: null },
        { path: 'new', change: 'added', ...shown, patch: '--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+hi\n' },
      ],
    }
    expect(await client.call(diffRevisions, { alias, revision_id: next.id, base: base.id })).toEqual(expected)
    expect(await client.call(diffRevisions, { alias, revision_id: next.id })).toEqual(expected)
    const first = await client.call(diffRevisions, { alias, revision_id: base.id })
    expect(first.base).toBeNull()
    expect(first.files.map(({ change }) => change)).toEqual(Array.from({ length: 6 }, () => 'added'))
    expect((await client.call(diffRevisions, { alias, revision_id: base.id, base: base.id })).files).toEqual([])
  })

  it('MA-15 large files have no patch, and patches stop before the answer is too large', async () => {
    const { alias, client } = app
    const text = (seed: number, bytes: number) => `${seed} lines of text\n`.repeat(bytes / 16)
    const parts = Array.from({ length: 8 }, (_, n) => ({ name: `f${n}`, content: text(n, 250_000) }))
    const { id } = await archive([...parts, { name: 'large', content: text(9, 400_000) }])
    const { files, truncated } = await client.call(diffRevisions, { alias, revision_id: id })
    expect(truncated).toBe(true)
    expect(files.length).toBe(9)
    expect(files.filter(({ patch }) => patch !== null).length).toBeGreaterThan(0)
    expect(Buffer.byteLength(files.map(({ patch }) => patch ?? '').join(''))).toBeLessThanOrEqual(1024 * 1024)
    expect(files.at(-1)).toEqual({ path: 'large', change: 'added', mode: null, patch: null, not_shown: 'too_large' })
  })
})
