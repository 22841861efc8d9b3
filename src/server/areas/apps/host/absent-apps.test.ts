import { describe, expect, it } from 'vitest'
import { testClock } from '#lib/time/clock.ts'
import { createAbsentApps } from './absent-apps.ts'

function open() {
  const clock = testClock()
  let looks = 0
  const absent = createAbsentApps(clock)
  const look = async () => {
    looks++
    return 'not_running' as const
  }
  return { clock, absent, looks: () => looks, find: (label = 'shop') => absent.find(label, look) }
}

describe('OP-09 an app that does not run', () => {
  it('costs one query a second, however often it is asked for', async () => {
    const { clock, looks, find } = open()
    for (let n = 0; n < 100; n++) expect(await find()).toBe('not_running')
    expect(looks()).toBe(1)
    clock.advance(1_000)
    await find()
    expect(looks()).toBe(2)
  })

  it('is looked for again when any app starts, also during the query', async () => {
    const { absent, looks, find } = open()
    await find()
    absent.forget()
    const during = find()
    absent.forget()
    await during
    await find()
    expect(looks()).toBe(3)
  })

  it('takes bounded memory', async () => {
    const { looks, find } = open()
    for (let n = 0; n < 1_001; n++) await find(`app-${n}`)
    await find('app-1')
    expect(looks()).toBe(1_001)
    await find('app-0')
    expect(looks()).toBe(1_002)
  })
})
