import { describe, expect, it } from 'vitest'
import { every, evidenceOf, type Line } from '#test/signals/evidence.ts'
import { backgroundOf } from './background.ts'

const requests = every(1_400, 0, 2, () => 'GET / 200 3ms')
const failed = (from: number, to: number, step: number) => every(from, to, step, (n) => `order ${n} failed`, 'error')

describe('MA-30 the background of errors', () => {
  it.each<[string, Line[], string[]]>([
    ['rare ones among many requests', [...requests, ...failed(1_400, 0, 300)], ['order <n> failed']],
    ['one in a hundred requests', [...requests, ...failed(1_400, 0, 200)], []],
    ['rare ones that began in the second half', [...requests, ...failed(600, 0, 150)], []],
    ['rare ones without requests', failed(1_400, 0, 300), []],
  ])('of %s', async (_, lines, templates) => {
    expect(backgroundOf(await evidenceOf({ lines }))).toEqual(templates)
  })
})
