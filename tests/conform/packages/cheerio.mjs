import * as cheerio from 'cheerio';
const $ = cheerio.load('<ul id="fruits"><li class="apple">Apple</li><li>Pear</li></ul>');
$('li').last().addClass('pear').text('Pears');
console.log($('.apple').text(), $('#fruits').html(), $('li').map((i, e) => $(e).attr('class')).get());
