// Runs before first paint, to apply the theme chosen earlier here or in the dashboard.
const chosen = localStorage.getItem('platbook.theme');
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
document.documentElement.classList.add('js');
