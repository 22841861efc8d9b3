import { expect, it } from 'vitest'
import { rankText } from './text-rank.ts'

it('CO-08 the text itself ranks before names that begin with it, words that do, and names that contain it', () => {
  const names = ['shop', 'Shopping', 'my-shop', 'bishops', 'door']
  expect(names.map((name) => rankText([name], ' SHOP '))).toEqual([0, 1, 2, 3, 4])
  expect(rankText(['door', 'shop'], 'shop')).toBe(0)
})
