// The Google half: custom functions, the menu, and the steps of the core by Apps Script's own services.
// oxlint-disable no-unused-vars -- the host calls these functions by their names
const KEY_PROPERTY = 'PLATBOOK_KEY';
/** Google ends a custom function after 30 seconds, and a command of a menu after six minutes. */
const FUNCTION_PATIENCE_MS = 12_000;
const MENU_PATIENCE_MS = 300_000;

/**
 * The estimated value of a home, or of each row of a range.
 *
 * @param {"12 Elm St, Salem, MA 01970"} addresses An address, a property ID, or a range of them. Several columns are one address.
 * @return The value in US dollars, or the reason why there is none.
 * @customfunction
 */
function PLATBOOK_VALUE(addresses) {
  return PLATBOOK_FIELD(addresses, 'estimated_value');
}

/**
 * A field of the property record, its risk or its valuation.
 *
 * @param {"12 Elm St, Salem, MA 01970"} addresses An address, a property ID, or a range of them. Several columns are one address.
 * @param {"sqft"} field Such as sqft, year_built, last_sale.price, value_low, or risk.flood.zone.
 * @return The field, a blank where it is unknown, or the reason why there is none.
 * @customfunction
 */
function PLATBOOK_FIELD(addresses, field) {
  const isRange = Array.isArray(addresses);
  const cells = carryOut(Platbook.fill(isRange ? addresses : [[addresses]], field, FUNCTION_PATIENCE_MS));
  return isRange ? cells : cells[0][0];
}

function onOpen() {
  SpreadsheetApp.getUi()
    .createMenu('Platbook')
    .addItem('Fill column…', 'fillColumn')
    .addItem('Set key…', 'setKey')
    .addItem('Forget key', 'forgetKey')
    .addToUi();
}

/** Shows what it costs before anything is asked, then writes values, not formulas: a reload asks nothing again. */
function fillColumn() {
  const ui = SpreadsheetApp.getUi();
  const selected = SpreadsheetApp.getActiveRange();
  const asked = ui.prompt(
    'Fill column',
    'Which field? For example: value, sqft, year_built, last_sale.date',
    ui.ButtonSet.OK_CANCEL,
  );
  const field = asked.getResponseText().trim();
  if (asked.getSelectedButton() !== ui.Button.OK || field === '') return;
  const rows = selected.getValues();
  const target = selected.offset(0, selected.getNumColumns(), rows.length, 1);
  const taken = target.getValues().filter(([cell]) => cell !== '').length;
  let words;
  try {
    ({ words } = carryOut(Platbook.price(rows, field)));
  } catch (problem) {
    ui.alert('Platbook', Platbook.wordsOf(problem), ui.ButtonSet.OK);
    return;
  }
  const warning =
    taken > 0 ? `\n\n${taken} cells in ${target.getA1Notation()} have something in them and are overwritten.` : '';
  if (ui.alert('Fill column', `${words}${warning}\n\nGo on?`, ui.ButtonSet.YES_NO) !== ui.Button.YES) return;
  target.setValues(carryOut(Platbook.fill(rows, field, MENU_PATIENCE_MS)));
}

/** Among the properties of the user, which no other reader of the sheet can see, and never in the sheet. */
function setKey() {
  const ui = SpreadsheetApp.getUi();
  const asked = ui.prompt(
    'Platbook',
    'Paste an API key. It is kept for you alone, not in the sheet.',
    ui.ButtonSet.OK_CANCEL,
  );
  const key = asked.getResponseText().trim();
  if (asked.getSelectedButton() === ui.Button.OK && key !== '')
    PropertiesService.getUserProperties().setProperty(KEY_PROPERTY, key);
}

function forgetKey() {
  PropertiesService.getUserProperties().deleteProperty(KEY_PROPERTY);
}

function carryOut(work) {
  const key = PropertiesService.getUserProperties().getProperty(KEY_PROPERTY);
  const perform = {
    request: (step) => requestNow(key, step),
    sleep: ({ ms }) => Utilities.sleep(ms),
    // Answers of one key are not shown under another.
    recall: ({ names }) => {
      const kept = CacheService.getUserCache().getAll(names.map((name) => cacheName(key, name)));
      return names.map((name) => JSON.parse(kept[cacheName(key, name)] || 'null'));
    },
    keep: ({ entries }) => {
      for (const { name, value, seconds } of entries)
        CacheService.getUserCache().put(cacheName(key, name), JSON.stringify(value), seconds);
    },
  };
  let step = work.next();
  while (!step.done) step = work.next(perform[step.value.do](step.value));
  return step.value;
}

const cacheName = (key, name) => `${Platbook.hash(key || '')}:${name}`;

function requestNow(key, { method, path, body, name }) {
  if (!key) return { status: 401, body: '{"code":"no_key"}' };
  try {
    const response = UrlFetchApp.fetch(`${PLATBOOK_SERVER}/api/v1${path}`, {
      method: method.toLowerCase(),
      headers: Object.assign({ 'x-api-key': key }, name && { 'idempotency-key': name }),
      contentType: 'application/json',
      payload: body,
      muteHttpExceptions: true,
    });
    const headers = response.getHeaders();
    const retryAfter = Number(headers['retry-after'] || headers['Retry-After'] || 0);
    return { status: response.getResponseCode(), body: response.getContentText(), retryAfter };
  } catch (error) {
    return {
      status: 0,
      body: JSON.stringify({ code: 'unreachable', detail: `Platbook cannot be reached: ${error.message}` }),
    };
  }
}
