import { expect, it } from 'vitest'
import { createPools, MAX_CONNECTIONS_PER_DATABASE } from './pools.ts'

const pools = (databases: number) =>
  createPools({ onError: (error) => console.error(error), maxConnections: databases * MAX_CONNECTIONS_PER_DATABASE })

it('a database keeps its pool while it is among the last used', () => {
  const testPools = pools(2)
  const open = (url: string) => testPools.open(url)
  const first = open('postgres://r:x@127.0.0.1:1/d_1')
  const second = open('postgres://r:x@127.0.0.1:1/d_2')
  expect(open('postgres://r:x@127.0.0.1:1/d_1')).toBe(first)
  open('postgres://r:x@127.0.0.1:1/d_3')
  expect(open('postgres://r:x@127.0.0.1:1/d_1')).toBe(first)
  expect(open('postgres://r:x@127.0.0.1:1/d_2')).not.toBe(second)
})

it('a database that goes away loses the pools of all its roles, and no other does', async () => {
  const testPools = pools(9)
  const open = (url: string) => testPools.open(url)
  const gone = [open('postgres://r:x@127.0.0.1:1/d_1'), open('postgres://o:x@127.0.0.1:1/d_1')]
  const otherPool = open('postgres://r:x@127.0.0.1:1/d_2')
  await testPools.forget('d_1')
  expect(open('postgres://r:x@127.0.0.1:1/d_1')).not.toBe(gone[0])
  expect(open('postgres://o:x@127.0.0.1:1/d_1')).not.toBe(gone[1])
  expect(open('postgres://r:x@127.0.0.1:1/d_2')).toBe(otherPool)
})
