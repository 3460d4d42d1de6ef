// Before anything is drawn: the colours chosen earlier, here or in the dashboard.
const chosen = localStorage.getItem('platbook.theme');
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
document.documentElement.classList.add('js');
