import { expect, it } from 'vitest'
import { programOutput } from './programs.ts'

const target = { url: 'postgresql://nobody@127.0.0.1:1/none' }

it('OP-08 a dump on a machine without the programs of Postgres says which are missing', async () => {
  const output = programOutput({ path: '/nonexistent' }, 'pg_dump', { target, args: [] })
  await expect(output.next()).rejects.toThrow('pg_dump and pg_restore are not on the PATH.')
})
