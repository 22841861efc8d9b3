/**
 * Filters the contents by the words that are typed: an operation stays if its summary, method, path or name contains each
 * of them. Shows the examples in one language and remembers it. Leads links of former releases, when all operations were
 * on one page, to the page of the operation. It reads and writes no HTML, so text of the document stays text.
 */
export const DOCS_SCRIPT = `
{
  const field = document.getElementById('search')
  const found = document.getElementById('found')
  const groups = [...document.querySelectorAll('nav li.group')]
  const search = () => {
    const words = field.value.toLowerCase().split(' ').filter(Boolean)
    field.closest('nav').classList.toggle('searching', words.length > 0)
    let count = 0
    for (const group of groups) {
      const items = [...group.querySelectorAll('li')]
      for (const item of items) {
        const text = (item.textContent + ' ' + item.dataset.search).toLowerCase()
        item.hidden = !words.every((word) => text.includes(word))
      }
      const shown = items.filter((item) => !item.hidden).length
      group.hidden = shown === 0
      group.querySelector('ul').hidden = words.length === 0 && !group.querySelector('a[aria-current]')
      count += shown
    }
    found.textContent = words.length === 0 ? '' : count + ' found'
  }
  field.addEventListener('input', search)
  field.parentElement.hidden = false
  search()

  const current = document.querySelector('nav a[aria-current]')
  if (current) current.closest('nav').scrollTop = current.offsetTop - 200

  const buttons = [...document.querySelectorAll('button[data-language]')]
  const choose = (language) => {
    document.documentElement.dataset.language = language
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.language === language))
  }
  let chosen
  try {
    chosen = localStorage.getItem('docs-language')
  } catch {}
  choose(buttons.some(({ dataset }) => dataset.language === chosen) ? chosen : 'curl')
  for (const button of buttons) {
    button.addEventListener('click', () => {
      choose(button.dataset.language)
      try {
        localStorage.setItem('docs-language', button.dataset.language)
      } catch {}
    })
  }
  if (buttons.length > 0) buttons[0].parentElement.hidden = false

  const name = location.hash.slice(1)
  if (name !== '' && !document.getElementById(name)) {
    const link = [...document.querySelectorAll('nav li li a')].find(({ hash }) => hash === '#' + name)
    if (link) location.replace(link.href)
  }
}
`
