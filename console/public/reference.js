// The API reference can be read without this. It adds the search, opens what an address names, and sends requests with the session.
const operations = [...document.querySelectorAll('details.operation')]
const search = document.querySelector('#search')
const found = document.querySelector('#found')

search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  for (const operation of operations) operation.hidden = !words.every((word) => operation.dataset.words.includes(word))
  for (const section of document.querySelectorAll('main section'))
    section.hidden = !section.querySelector('details.operation:not([hidden])')
  const count = operations.filter((operation) => !operation.hidden).length
  found.textContent = words.length === 0 ? '' : `${count} of ${operations.length} operations`
})

function openNamed() {
  const named = document.getElementById(location.hash.slice(1))
  if (named instanceof HTMLDetailsElement) {
    named.open = true
    named.scrollIntoView()
  }
}
addEventListener('hashchange', openNamed)
openNamed()

const session = await fetch('/api/Session').then((answer) => (answer.ok ? answer.json() : undefined))
if (session) {
  for (const form of document.querySelectorAll('form.try')) {
    form.hidden = false
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void send(form)
    })
  }
}

async function send(form) {
  const status = form.querySelector('[role=status]')
  const query = new URLSearchParams()
  let path = form.dataset.path
  for (const input of form.querySelectorAll('input')) {
    if (input.dataset.in === 'path') path = path.replace(`:${input.name}`, encodeURIComponent(input.value))
    else if (input.value !== '') query.set(input.name, input.value)
  }
  const body = form.querySelector('textarea')?.value
  status.textContent = 'Sending …'
  try {
    const answer = await fetch(query.size > 0 ? `${path}?${query}` : path, {
      method: form.dataset.method,
      headers: {
        'X-CSRF-Token': session.csrfToken,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    })
    show(status, answer.status, await answer.text())
  } catch {
    status.textContent = 'Patchbay cannot be reached. Check your connection, then try again.'
  }
}

function show(status, code, text) {
  const shown = document.createElement('pre')
  shown.tabIndex = 0
  shown.textContent = `${code}\n${pretty(text)}`
  status.replaceChildren(shown)
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
