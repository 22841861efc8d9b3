import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

describe('OP-01 the memory that a start needed', () => {
  it('is given back, and the function that does it is not left to others', () => {
    const file = JSON.stringify(join(import.meta.dirname, 'release-memory.ts'))
    // A process of its own, because the test measures its whole heap.
    const script = `
      import { getHeapStatistics } from 'node:v8'
      import { runInNewContext } from 'node:vm'
      const { releaseMemory } = await import(${file})
      let kept = []
      for (let n = 0; n < 2_000_000; n++) kept.push({ n })
      kept = undefined
      const before = getHeapStatistics().total_heap_size
      releaseMemory()
      const after = getHeapStatistics().total_heap_size
      console.log(JSON.stringify({ share: after / before, gc: runInNewContext('typeof gc') }))`
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    const { share, gc } = JSON.parse(output) as { share: number; gc: string }
    expect(share).toBeLessThan(0.3)
    expect(gc).toBe('undefined')
  })
})
