import { expect, it } from 'vitest'
import { splitNames } from '#contract/data-sources/table-name.ts'
import { asEmbedCommand } from './commands.ts'

const PLAIN = { database: 'docs', table: 'public.articles', text: ['title', 'body'], vector: 'embedding', model: 'a/b' }

it('CO-07 the command that fills vectors names the columns as they are called', () => {
  expect(asEmbedCommand(PLAIN)).toBe('svc db embed docs --table public.articles --text title,body --model a/b')
  const text = ['title,secret', 'a "quoted" one', ' blank ']
  const names = '"title,secret","a ""quoted"" one"," blank "'
  expect(splitNames(names, ',')).toEqual(text)
  expect(asEmbedCommand({ ...PLAIN, text, vector: '-v' })).toBe(
    `svc db embed docs --table public.articles --text '${names}' --column=-v --model a/b`,
  )
})

it('CO-07 choices that are not made stand as words to replace', () => {
  expect(asEmbedCommand({ ...PLAIN, text: [], model: '' })).toBe(
    `svc db embed docs --table public.articles --text '<columns>' --model '<model>'`,
  )
})
