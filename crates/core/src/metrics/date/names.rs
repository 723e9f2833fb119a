//! Names of the months.

/// Full names in lower case: Dutch, English, French, German, Italian, Portuguese, Russian (as in a
/// date), Spanish, Turkish.
pub(super) const MONTHS: [&str; 9] = [
    "januari februari maart april mei juni juli augustus september oktober november december",
    "january february march april may june july august september october november december",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
];

/// Other forms, by month: short ones that are no common word of another language, the Russian
/// nominative, and spellings without accents.
const OTHERS: [&str; 12] = [
    "jan jän jänner janv ene январь",
    "feb févr fevrier fev февраль",
    "mar mär mrz maerz marco март",
    "apr avr abr апрель",
    "май",
    "jun июнь",
    "jul juil июль",
    "aug aout август",
    "sep sept setiembre сентябрь",
    "oct okt октябрь",
    "nov ноябрь",
    "dec dez déc decembre dic декабрь",
];

/// The month of a name in lower case.
pub(super) fn month(word: &str) -> Option<u8> {
    let is_word = |name: &str| name == word;
    let full = MONTHS.iter().find_map(|names| names.split(' ').position(is_word));
    let other = || OTHERS.iter().position(|names| names.split(' ').any(is_word));
    full.or_else(other).and_then(|index| u8::try_from(index + 1).ok())
}
