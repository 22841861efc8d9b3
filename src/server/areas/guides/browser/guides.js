/* Search, copy buttons and the theme of the guides. The pages can be read and followed without it. */

const MAX_RESULTS = 20
const EXCERPT_BEFORE = 40
const EXCERPT_LENGTH = 150
const { index } = document.currentScript.dataset

/** Shows the theme that was chosen in the console. A browser may refuse storage to pages from a folder. */
function applyTheme() {
  try {
    const theme = localStorage.getItem('svc-theme')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  } catch {}
}

function element(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties)
  node.append(...children)
  return node
}

function addCopyButtons() {
  if (navigator.clipboard === undefined) return
  for (const block of document.querySelectorAll('.code')) {
    const button = element('button', { type: 'button', className: 'copy', textContent: 'Copy' })
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent)
      button.textContent = 'Copied'
      setTimeout(() => (button.textContent = 'Copy'), 2_000)
    })
    block.append(button)
  }
}

/** Scrolls the list of guides, which may be longer than the window, to the one that is open. */
function showCurrent() {
  const list = document.querySelector('.guides')
  const current = list.querySelector('[aria-current]')
  if (current !== null) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2
}

/** Lets the keyboard scroll what is wider than the page. */
function focusScrolled() {
  for (const box of document.querySelectorAll('pre, .table')) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
  }
}

/** Loads the texts of all guides, once, when the search is first used. */
function createIndexLoader() {
  let pages
  return () => {
    pages ??= new Promise((resolve, reject) => {
      const script = element('script', { src: index, onerror: reject, onload: () => resolve(globalThis.svcGuides) })
      document.head.append(script)
    })
    return pages
  }
}

function excerpt(text, words) {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place !== -1)
  const near = (places.length === 0 ? 0 : Math.min(...places)) - EXCERPT_BEFORE
  const start = near <= 0 ? 0 : text.indexOf(' ', near) + 1
  const cut = text.slice(start, start + EXCERPT_LENGTH)
  return `${start > 0 ? '…' : ''}${cut}${start + EXCERPT_LENGTH < text.length ? '…' : ''}`
}

/** Marks the words with elements, so that texts of the guides stay text. */
function marked(text, words) {
  const pattern = new RegExp(`(${words.map(globalThis.svcSearch.escaped).join('|')})`, 'giu')
  return text.split(pattern).map((part, n) => (n % 2 === 1 ? element('mark', {}, part) : part))
}

function resultItem({ address, id, title, heading, text }, words) {
  const name = heading === title ? [title] : [`${title} › `, ...marked(heading, words)]
  const link = element('a', { href: `${address}#${id}` }, element('strong', {}, ...name))
  link.append(element('span', {}, ...marked(excerpt(text, words), words)))
  return element('li', {}, link)
}

function startSearch() {
  const loadIndex = createIndexLoader()
  const field = document.getElementById('search')
  const results = document.querySelector('.results')
  const found = document.getElementById('found')
  const count = document.querySelector('.count')
  const close = () => (results.hidden = true)
  const search = async () => {
    const words = globalThis.svcSearch.wordsOf(field.value)
    if (words.length === 0) return close()
    const hits = globalThis.svcSearch.findSections(await loadIndex(), field.value)
    found.replaceChildren(...hits.slice(0, MAX_RESULTS).map((hit) => resultItem(hit, words)))
    count.textContent = hits.length === 0 ? 'Nothing found' : `${hits.length} found`
    results.hidden = false
  }
  const move = (step) => {
    const stops = [field, ...found.querySelectorAll('a')]
    stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus()
  }
  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Escape: () => {
      field.value = ''
      close()
      field.blur()
    },
  }
  field.addEventListener('input', () => void search())
  field.addEventListener('focus', loadIndex, { once: true })
  field.addEventListener('keydown', ({ key }) => key === 'Enter' && found.querySelector('a')?.click())
  field.parentElement.addEventListener('keydown', (event) => {
    if (results.hidden || !(event.key in keys)) return
    event.preventDefault()
    keys[event.key]()
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target === field) return
    event.preventDefault()
    field.focus()
  })
  document.addEventListener('click', ({ target }) => field.parentElement.contains(target) || close())
  found.addEventListener('click', close)
  field.parentElement.hidden = false
}

applyTheme()
document.addEventListener('DOMContentLoaded', () => {
  startSearch()
  addCopyButtons()
  focusScrolled()
  showCurrent()
})
