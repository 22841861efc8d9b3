import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockOf, findBlock, putBlock } from './block.ts'

const BLOCK = blockOf('svc', 'project')
const BEGIN = '<!-- BEGIN:svc-skill -->'
const END = '<!-- END:svc-skill -->'

/** One character a byte, as the file is read. */
const userText = fc
  .array(fc.constantFrom('# Title', 'words', '', '```', '\xef\xbb\xbf', '\xc3\xa9', '<!-- note -->', '  indented'), {
    maxLength: 8,
  })
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((ending) => lines.join(ending)))

describe('the block in AGENTS.md', () => {
  it('SK-02 has its markers on lines of their own, with blank lines inside', () => {
    expect(BLOCK.split('\n')).toEqual([
      BEGIN,
      '',
      'Before you use the command-line client `svc` (data sources, managed databases, apps, functions, API tokens), read `.agents/skills/svc/SKILL.md` and follow it.',
      'Written by `svc skills install svc`: run it again after an upgrade of svc, and put your own words outside the markers.',
      '',
      END,
    ])
    expect(blockOf('svc-ai-gateway', 'user')).toContain('`~/.agents/skills/svc-ai-gateway/SKILL.md`')
  })

  it('SK-02 whatever the user wrote is still there to the byte, and a second time changes nothing', () => {
    fc.assert(
      fc.property(userText, (before) => {
        const after = putBlock(before, 'absent', BLOCK)
        expect(after.startsWith(before)).toBe(true)
        const found = findBlock(after, 'svc')
        if (typeof found === 'string') throw new Error(found)
        expect(found.text).toBe(BLOCK)
        expect(putBlock(after, found, BLOCK)).toBe(after)
      }),
    )
  })

  it('SK-02 a file of CRLF stays one, before and after our block too', () => {
    const after = putBlock('# Mine\r\n\r\nText\r\n', 'absent', BLOCK)
    expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    const newer = `${BEGIN}\n\nnewer words\n\n${END}`
    const found = findBlock(after, 'svc')
    expect(putBlock(after, found as Exclude<typeof found, string>, newer).replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('SK-02 the majority decides where line endings are mixed', () => {
    expect(putBlock('a\r\nb\nc\n', 'absent', 'x\ny')).toBe('a\r\nb\nc\n\nx\ny\n')
    expect(putBlock('a\r\nb\r\nc\n', 'absent', 'x\ny')).toBe('a\r\nb\r\nc\n\r\nx\r\ny\r\n')
  })

  it('SK-02 a missing last newline stays missing, and a byte order mark stays first', () => {
    expect(putBlock('no newline', 'absent', 'x')).toBe('no newline\n\nx')
    expect(putBlock('\xef\xbb\xbftext\n', 'absent', 'x')).toBe('\xef\xbb\xbftext\n\nx\n')
    expect(putBlock('\xef\xbb\xbf', 'absent', 'x')).toBe('\xef\xbb\xbfx\n')
    expect(putBlock('', 'absent', 'x')).toBe('x\n')
  })

  it.each([
    ['only the first marker', `a\n${BEGIN}\nb\n`],
    ['only the last marker', `a\n${END}\nb\n`],
    ['two first markers', `${BEGIN}\n${BEGIN}\n${END}\n`],
    ['two last markers', `${BEGIN}\n${END}\nmine\n${END}\n`],
    ['two pairs', `${BEGIN}\n${END}\n${BEGIN}\n${END}\n`],
    ['the wrong order', `${END}\nmine\n${BEGIN}\n`],
    ['a marker behind words', `mine ${BEGIN}\n${END}\n`],
    ['a marker before words', `${BEGIN}\n${END} mine\n`],
    ['both on one line', `${BEGIN}${END}\n`],
  ])('SK-02 %s is malformed', (_, text) => {
    expect(findBlock(text, 'svc')).toBe('malformed')
  })

  it('SK-02 markers of the other skill are not ours', () => {
    expect(findBlock(blockOf('svc-ai-gateway', 'project'), 'svc')).toBe('absent')
  })
})
