import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needsPrograms } from '#test/stores.ts'
import { END, tarHeader, tarOf } from '#test/tar.ts'
import { ByteReader } from './byte-reader.ts'
import { readTar } from './read-tar.ts'

/** Returns the archive in pieces, as a network would. */
async function* inPieces(archive: Buffer, size: number) {
  for (let at = 0; at < archive.length; at += size) yield archive.subarray(at, at + size)
}

async function readAll(archive: Buffer, pieceBytes = 700) {
  const found: { path: string; kind: string; executable: boolean; content: string }[] = []
  for await (const { path, kind, executable, read } of readTar(new ByteReader(inPieces(archive, pieceBytes)))) {
    found.push({ path, kind, executable, content: kind === 'file' ? (await read()).toString('latin1') : '' })
  }
  return found
}

it('MA-15 what another program packed is read back, in pieces of any size', async () => {
  const file = fc.record({
    name: fc.stringMatching(/^[a-zé]{1,40}(\/[a-z]{1,90}){0,4}$/),
    content: fc.uint8Array({ maxLength: 2000 }),
    mode: fc.constantFrom(0o644, 0o755),
  })
  const check = fc.asyncProperty(
    fc.array(file, { maxLength: 5 }),
    fc.integer({ min: 1, max: 3000 }),
    async (files, size) => {
      const tar = pack()
      for (const { name, content, mode } of files) tar.entry({ name, mode }, Buffer.from(content))
      tar.finalize()
      expect(await readAll(await buffer(tar), size)).toEqual(
        files.map(({ name, content, mode }) => ({
          path: name,
          kind: 'file',
          executable: mode === 0o755,
          content: Buffer.from(content).toString('latin1'),
        })),
      )
    },
  )
  await fc.assert(check, { numRuns: 50 })
})

it('MA-15 a content that is not asked for is skipped', async () => {
  const archive = tarOf([{ name: 'a', content: 'x'.repeat(5000) }, { name: 'b' }])
  const paths: string[] = []
  for await (const { path } of readTar(new ByteReader(inPieces(archive, 100)))) paths.push(path)
  expect(paths).toEqual(['a', 'b'])
})

const pax = (record: string) => tarOf([{ name: 'PaxHeader', type: 'x', content: record }, { name: 'a' }])

it.each<[what: string, archive: Buffer, fault: string, entry: string | undefined]>([
  [
    'a symbolic link',
    tarOf([{ name: 'l', type: '2', link: '/etc/passwd' }]),
    'is a symbolic link; links are not supported',
    'l',
  ],
  ['a hard link', tarOf([{ name: 'l', type: '1', link: 'a' }]), 'is a hard link; links are not supported', 'l'],
  [
    'a character device',
    tarOf([{ name: 'd', type: '3' }]),
    'is a device file; only files and folders are supported',
    'd',
  ],
  ['a block device', tarOf([{ name: 'd', type: '4' }]), 'is a device file; only files and folders are supported', 'd'],
  ['a FIFO', tarOf([{ name: 'p', type: '6' }]), 'is a FIFO; only files and folders are supported', 'p'],
  ['a sparse file', tarOf([{ name: 's', type: 'S' }]), 'is a sparse file, which is not supported', 's'],
  ['a sparse file of pax', pax('22 GNU.sparse.major=1\n'), 'is a sparse file, which is not supported', undefined],
  [
    'an unknown type',
    tarOf([{ name: 'v', type: 'V' }]),
    'is of an unknown type; only files and folders are supported',
    'v',
  ],
  ['a folder with content', tarOf([{ name: 'd', type: '5', content: 'x' }]), 'is a folder with content', 'd'],
  [
    'a name that is not UTF-8',
    tarOf([{ name: Buffer.from([0x61, 0xff]) }]),
    'has a name that is not valid UTF-8',
    'a\u00ff',
  ],
  [
    'a pax path that is not UTF-8',
    tarOf([{ name: 'x', type: 'x', content: Buffer.from([...Buffer.from('9 path='), 0xff, 0x0a]) }, { name: 'a' }]),
    'has a name that is not valid UTF-8',
    '\u00ff',
  ],
  ['a pax record with a wrong length', pax('99 path=b\n'), 'has an extended header that cannot be read', undefined],
  ['a pax record of length 0', pax('0 path=b\n'), 'has an extended header that cannot be read', undefined],
  ['a pax size that is no number', pax('11 size=-1\n'), 'has a size that cannot be read', undefined],
  [
    'a path for all entries',
    tarOf([{ name: 'g', type: 'g', content: '9 path=b\n' }, { name: 'a' }]),
    'gives one path or size to all entries',
    undefined,
  ],
  [
    'two pax headers',
    tarOf([
      { name: 'x', type: 'x', content: '9 path=b\n' },
      { name: 'x', type: 'x', content: '9 path=c\n' },
      { name: 'a' },
    ]),
    'names an entry twice in its extended headers',
    undefined,
  ],
  [
    'two long names',
    tarOf([{ name: 'L', type: 'L', content: 'b\0' }, { name: 'x', type: 'x', content: '9 path=c\n' }, { name: 'a' }]),
    'names an entry twice in its extended headers',
    undefined,
  ],
  [
    'a huge extended header',
    Buffer.concat([tarHeader({ name: 'x', type: 'x', size: 1024 ** 3 }), END]),
    'has an extended header over 262144 bytes',
    undefined,
  ],
  [
    'an extended header at the end',
    tarOf([{ name: 'x', type: 'x', content: '9 path=b\n' }]),
    'ends after an extended header',
    undefined,
  ],
  [
    'a damaged header',
    Buffer.concat([Buffer.from(tarHeader({ name: 'a' })).fill('z', 0, 1), END]),
    'is not a tar archive, or it is damaged',
    undefined,
  ],
  [
    'a size in binary',
    Buffer.concat([tarHeader({ name: 'a', rawSize: Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]) }), END]),
    'has a header with a number that cannot be read',
    undefined,
  ],
  ['text', Buffer.alloc(1024, 'hello '), 'is not a tar archive, or it is damaged', undefined],
  ['nothing', Buffer.alloc(0), 'is cut off: it has no end mark', undefined],
  [
    'an archive without its end',
    tarOf([{ name: 'a', content: 'x' }]).subarray(0, 1024),
    'is cut off: it has no end mark',
    undefined,
  ],
  ['half a content', tarOf([{ name: 'a', content: 'x'.repeat(600) }]).subarray(0, 900), 'is cut off', 'a'],
  [
    'a second archive behind the first',
    Buffer.concat([tarOf([{ name: 'a' }]), tarOf([{ name: 'b' }])]),
    'has data after its end mark',
    undefined,
  ],
  ['zeros without end', Buffer.alloc(1024 * 1024 + 1024), 'has data after its end mark', undefined],
])('MA-15 refuses %s', async (_, archive, message, entry) => {
  await expect(readAll(archive)).rejects.toMatchObject({ name: 'TarFault', message, entry })
})

needsPrograms('tar')('with the tar of the system', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-tar-'))
    mkdirSync(join(folder, 'src/deep'), { recursive: true })
    writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\n')
    chmodSync(join(folder, 'run.sh'), 0o755)
    writeFileSync(join(folder, 'src/deep/ü.txt'), 'text')
    writeFileSync(join(folder, 'src', 'n'.repeat(200)), 'long')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(['gnu', 'pax', 'ustar', 'v7', 'oldgnu'])('MA-15 an archive in the format %s is read', async (format) => {
    const names = format === 'ustar' || format === 'v7' ? ['./run.sh', './src/deep'] : ['.']
    const archive = execFileSync('tar', [`--format=${format}`, '--sort=name', '-c', ...names], { cwd: folder })
    const files = (await readAll(archive)).filter(({ kind }) => kind === 'file')
    const expected = [
      { path: 'run.sh', kind: 'file', executable: true, content: '#!/bin/sh\n' },
      { path: 'src/deep/ü.txt', kind: 'file', executable: false, content: 'text' },
      { path: `src/${'n'.repeat(200)}`, kind: 'file', executable: false, content: 'long' },
    ]
    expect(files).toEqual(names.length === 1 ? expected : expected.slice(0, 2))
  })

  it('MA-15 a link in a folder is refused', async () => {
    symlinkSync('/etc/passwd', join(folder, 'link'))
    const archive = execFileSync('tar', ['-c', './link'], { cwd: folder })
    await expect(readAll(archive)).rejects.toMatchObject({ entry: './link' })
  })
})
