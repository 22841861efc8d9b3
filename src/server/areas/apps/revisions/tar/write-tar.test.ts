import { expect, it } from 'vitest'
import { ByteReader } from './byte-reader.ts'
import { readTar } from './read-tar.ts'
import { writeTar } from './write-tar.ts'

it('MA-15 an archive that is written is read as the same files, with long names, modes and empty files', async () => {
  const files = [
    { path: 'a', executable: true, content: Buffer.from('x'.repeat(512)) },
    { path: `${'é'.repeat(49)}/b`, executable: false, content: Buffer.from('y'.repeat(513)) },
    { path: `${'folder/'.repeat(70)}c`, executable: false, content: Buffer.alloc(0) },
    { path: 'n'.repeat(93), executable: false, content: Buffer.from('z') },
  ]
  const read = []
  async function* source() {
    yield* files
  }
  for await (const entry of readTar(new ByteReader(writeTar(source())))) {
    const { path, executable } = entry
    read.push({ path, executable, content: await entry.read() })
  }
  expect(read).toEqual(files)
})
