import { describe, expect, it } from 'vitest'
import { EngineStopped } from './engine-stopped.ts'
import { isWellFormed, OwnAnswer } from './own-answer.ts'
import { errorResponse, message, ready, toMessage } from './wire-messages.ts'

const hex = (type: string, body: string) => toMessage(message(type, Buffer.from(body, 'hex')))

describe('DS-21 a message for our own driver', () => {
  it.each([
    ['Z', '49', true],
    ['Z', '00', false],
    ['Z', '4949', false],
    ['C', '53454c00', true],
    ['C', '53454c', false],
    ['C', '53004c00', false],
    ['S', '61006200', true],
    ['S', '6100', false],
    ['A', '0000000161006200', true],
    ['A', '00000001', false],
    ['E', '53460000', true],
    ['E', '534600', false],
    ['E', '5346', false],
    ['N', '00', true],
    ['N', '', false],
    ['T', '0000', true],
    ['T', `00016100${'00'.repeat(18)}`, true],
    ['T', `00016100${'00'.repeat(17)}`, false],
    ['T', `000161${'ff'.repeat(18)}`, false],
    ['D', '0001ffffffff', true],
    ['D', '00010000000161', true],
    ['D', '0001000000026161ff', false],
    ['D', '0001fffffffe', false],
    ['D', '00017fffffff', false],
    ['D', '4000', false],
    ['t', '000100000017', true],
    ['t', '0001', false],
    ['G', '0000010000', true],
    ['G', '000001', false],
    ['1', '', true],
    ['1', '00', false],
    ['I', '', true],
    ['s', '61', false],
  ])('%s with the body %s is well formed: %s', (type, body, expected) => {
    expect(isWellFormed(hex(type, body))).toBe(expected)
  })

  it('is passed on whole, however it is cut up', () => {
    const answer = Buffer.concat([errorResponse('ERROR', '42601', 'no'), message('1'), ready('I')])
    for (let size = 1; size <= answer.length; size++) {
      const own = new OwnAnswer()
      const passed: (Buffer | EngineStopped)[] = []
      for (let at = 0; at < answer.length; at += size) passed.push(own.push(answer.subarray(at, at + size)))
      expect(Buffer.concat(passed as Buffer[])).toEqual(answer)
    }
  })

  it('that is malformed takes none of its part with it', () => {
    const own = new OwnAnswer()
    expect(own.push(Buffer.concat([ready('I'), message('E', Buffer.from('SFATAL'))]))).toBeInstanceOf(EngineStopped)
  })
})
