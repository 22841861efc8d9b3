import { describe, expect, it } from 'vitest'
import { addObserved, nextWindow } from './judge.ts'
import { presentWatch } from './present.ts'

const at = (day: number, time = '12:00:00') => new Date(`2026-11-${String(day).padStart(2, '0')}T${time}Z`)
const LIVE = { liveAt: at(1), endedAt: null }

describe('MA-17 the time that is watched', () => {
  it.each([
    ['begins a minute after the change is live', LIVE, null, at(2), [at(1, '12:01:00'), at(2), false]],
    ['goes on where it ended', LIVE, at(2), at(3), [at(2), at(3), false]],
    ['ends after seven days', LIVE, at(7), at(9), [at(7), at(8), true]],
    ['ends when another revision is live', { ...LIVE, endedAt: at(3) }, at(2), at(5), [at(2), at(3), true]],
    ['is empty in the first minute', LIVE, null, at(1, '12:00:30'), [at(1, '12:01:00'), at(1, '12:01:00'), false]],
    [
      'is empty if another revision was live within it',
      { ...LIVE, endedAt: at(1, '12:00:20') },
      null,
      at(2),
      [at(1, '12:01:00'), at(1, '12:01:00'), true],
    ],
  ])('%s', (_, deploy, watchedUntil, now, [since, until, isLast]) => {
    expect(nextWindow(deploy, watchedUntil, now)).toEqual({ since, until, isLast })
  })
})

describe('MA-17 what became of a fault', () => {
  const shown = (
    deploy: { liveAt: Date; endedAt: Date | null },
    now: Date,
    requests: number,
    seenAt: Date | null,
    isComplete = true,
  ) => {
    const window = nextWindow(deploy, null, now)
    const watch = presentWatch(addObserved(undefined, deploy, window, { requests, seenAt, isComplete }))
    return [watch?.state, watch?.is_final, watch?.text]
  }
  it.each([
    [
      shown(LIVE, at(2), 120, null),
      ['gone', false, 'Gone: the fault was not seen in 120 requests or runs so far since it went live.'],
    ],
    [
      shown(LIVE, at(9), 1, null),
      ['gone', true, 'Gone: the fault was not seen in 1 request or run in the 7 days since it went live.'],
    ],
    [
      shown(LIVE, at(2), 5, at(2, '03:00:00')),
      ['back', true, 'Back: the fault was seen again at 2026-11-02T03:00:00.000Z. Nothing was rolled back.'],
    ],
    [
      shown(LIVE, at(2), 0, null),
      [
        'no_requests',
        false,
        'The log shows no request or run so far since it went live, so nothing shows whether the fault is gone.',
      ],
    ],
    [
      shown(LIVE, at(2), 5, null, false),
      [
        'not_read',
        false,
        'Not clear: the fault was not seen in 5 requests or runs so far since it went live, but svc could not read all of the log or the runs.',
      ],
    ],
    [
      shown(LIVE, at(2), 5, at(2, '03:00:00'), false),
      ['back', true, 'Back: the fault was seen again at 2026-11-02T03:00:00.000Z. Nothing was rolled back.'],
    ],
    [
      shown({ ...LIVE, endedAt: at(3) }, at(5), 7, null),
      [
        'gone',
        true,
        'Gone: the fault was not seen in 7 requests or runs until another revision went live at 2026-11-03T12:00:00.000Z.',
      ],
    ],
    [
      shown({ ...LIVE, endedAt: at(20) }, at(21), 7, null),
      ['gone', true, 'Gone: the fault was not seen in 7 requests or runs in the 7 days since it went live.'],
    ],
  ])('is %j', (found, expected) => {
    expect(found).toEqual(expected)
  })

  it('stays unclear once a part was not read', () => {
    const window = nextWindow(LIVE, null, at(2))
    const first = addObserved(undefined, LIVE, window, { requests: 1, seenAt: null, isComplete: false })
    const second = addObserved(first, LIVE, window, { requests: 1, seenAt: null, isComplete: true })
    expect(presentWatch(second)).toMatchObject({ state: 'not_read', requests: 2 })
  })

  it('is nothing before there is a watch', () => {
    expect(presentWatch(undefined)).toBeNull()
  })
})
