/**
 * Filters the contents by the words that are typed: an operation stays if its summary, method, path or name contains each
 * of them. It reads and writes no HTML, so text of the document stays text.
 */
export const SEARCH_SCRIPT = `
{
  const field = document.getElementById('search')
  const found = document.getElementById('found')
  const groups = [...document.querySelectorAll('nav li.group')]
  const search = () => {
    const words = field.value.toLowerCase().split(' ').filter(Boolean)
    let count = 0
    for (const group of groups) {
      const items = [...group.querySelectorAll('li')]
      for (const item of items) {
        const text = (item.textContent + ' ' + item.dataset.search).toLowerCase()
        item.hidden = !words.every((word) => text.includes(word))
      }
      const shown = items.filter((item) => !item.hidden).length
      group.hidden = shown === 0
      count += shown
    }
    found.textContent = words.length === 0 ? '' : count + ' found'
  }
  field.addEventListener('input', search)
  field.parentElement.hidden = false
  search()
}
`
