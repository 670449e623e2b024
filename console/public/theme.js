// Runs before the first paint, so that a chosen theme never flashes in the other one.
const chosen = localStorage.getItem('patchbay.theme')
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
