//! Golden files are replaced only together with a version of their payloads: this list says which files those are.

use crate::project::project;

/// Names and blake3 digests of all files of `tests/golden`, in the order of their names.
const DIGESTS: &[(&str, &str)] = &[
    ("additive.csv", "c79a1440811607e35c04e2d8b572a8cb36627802dda69c9241bd7cc6423624e8"),
    ("additive.posepress", "0796c93e715ff06e49edecf32e59bc7f2f5485bb1789172213ed6c3306707bf6"),
    ("blocks.csv", "ace117a17e385d76ea511bc45cf4bd4107be4a7dd9f276f7641d008e23ba2b8d"),
    ("blocks.posepress", "2887b905e59513596a83c388e37e4d41ac855f57a460bac97a3e1469a9efbeb6"),
    ("compensation-together.csv", "afb70167ef14b8f9931e6c102e225533d786bb799bead1a5b11cc6ce6acb3dc7"),
    ("compensation-together.posepress", "bf79e36e06f7465f5b27ec0a2d510a1247c6b824e73fe7d7880a6a24a9563154"),
    ("compensation.csv", "57a6065e8d51f702448aa0b5c028a6c09a031e4b80cff41c02a0b545421c535e"),
    ("compensation.posepress", "7bb0b74400587bafe1ba030712c443aa10dc01c47a6058f70b6d643a104a21a0"),
    ("curves.csv", "7adaace41873346e09dc8b791f62b553acde3c6ef60da10c66fd7359314a123a"),
    ("curves.posepress", "3765f96108074e2e061e7b1122748426c25472eb99753c4f63c031bc07338dec"),
    ("float-tracks.csv", "9cc8324fb67b5a0a4872d44424ceb5b8d7c0fe6531ce5c950b37d1e3fe38a8aa"),
    ("float-tracks.posepress", "97159e442dadd09a0e4762e559557e9c34b6fcddfca496bf96b076e1f6cf2d8f"),
    ("groups.csv", "6417050357f11f570ca21caa4aedfab633e86355437916b4a7f5240927ea4a63"),
    ("groups.posepress", "a17386200ea86a527f831f53e41567284a7747373ec23faafd9ca78b0dfd2eee"),
    ("key-reduction.csv", "817f50b6489b7449ce9c8411a607e1f8f19f8c63506e40a24e3737939173930f"),
    ("key-reduction.posepress", "cc7af409ce07a552e1fbe3dbb9342addc848e9b8832aa6d6edec49e59b5bd980"),
    ("layouts.csv", "e223527f1685e4ecace6ae17d675debdc287abda3d2442230286808ffd971f69"),
    ("layouts.posepress", "7adafcae83488faa4cf748fae6fc3c480cafe25d9ff000544ec7a88fff54792b"),
    ("loops.csv", "b9afda0f03ad017edc3561bb3a1a8e441f0d024882f952dc05ce978691f02046"),
    ("loops.posepress", "0b3378e6f971c41821ef70fe457e1f567f231a34ae98a7b7928c7a89169217d9"),
    ("press-archive-whole.csv", "b0c646d7280207caf234bfdbe7319df1824be5ebc89b7cd602b6fafbcdc64260"),
    ("press-archive-whole.posepress", "ce93ca3d6cd6b3ebde10bbd0cef2cb17a083618ec925e9a6c179226b448eef71"),
    ("press-archive.csv", "b0c646d7280207caf234bfdbe7319df1824be5ebc89b7cd602b6fafbcdc64260"),
    ("press-archive.posepress", "655827a89d5d09d939a55c62deb7e118971e0cff993c10e999007a294d826548"),
    ("press.csv", "7dbd9c6966bbc186ef333712c9d824792e05cc517e94fad645cd8d01982796e4"),
    ("press.posepress", "ba5b2801cfdba4e4d8b1bfb0805737a4bfcc0f6ffcd26bfbcf83a44322346e79"),
    ("ranged-tracks.csv", "3f389beca55bcaa160cd75f4ff8cb1c43aa21409bff942924422032b17d38c9c"),
    ("ranged-tracks.posepress", "ad1831e972dfaf84e8ed475d65acf6270435bdda96c92571425ffa89a0df1aa9"),
    ("ranged.csv", "4e4a6f042d025acf0bf4f3c7eb089b08f79db9f06ba832e3bb36e3ee292448b1"),
    ("ranged.posepress", "98bf7d2977148526132bac0f53aca65a46d399d858e05c4c3d137fd0f5ccb34e"),
    ("steps.csv", "2ea8a87414173568365589409b6018f2383dca737912782da71848d8c87ba2da"),
    ("steps.posepress", "1399fbfb2e4f09ed79b68a5b346915f65577281be4840d25ca8ea6f18dfb3252"),
    ("tiers.low.posepress-tier", "e78aa2d04235b9ba43cff3707b62e39e3a6822485e73c2a61fd50ccaa9379f82"),
    ("tiers.medium.posepress-tier", "044c50d7133298950bdbf582913db2b2f51d468624f21745e748b94c19478414"),
    ("tiers.posepress", "c1c34c781616761a52d47d9961f4949c8551febae7bd1560ad57cf9b9e6e8188"),
    ("variable-rate.csv", "229655352d93da89a6c0d5e19e9b88a5c328cb601f79fd22a238023d995065a5"),
    ("variable-rate.posepress", "31bbda179e5b3342f4e93ed4b27d78e7249a08418cf8d5f6327c379af20f3c6a"),
    ("version1.csv", "6fbb94559ead317ccbb9fcce4a23b64160b48703da7517dd0f2dffc4f4fca35f"),
    ("version1.posepress", "f3c66dcb70d1ebd6bca770ab3795aac2bd752adeca006859300af5572985f17c"),
    ("wavelet-axes.csv", "ad1ab5b3f6c8a8d72fcdc879194c40db69af61352a68cfbcf4a4f73edf4c1233"),
    ("wavelet-axes.posepress", "9c7f326e4a4ba81ae1b6d4c353caf93d39414fcfafb4d7f045f4fce6948a76a2"),
    ("wavelet.csv", "fd2f7504e75e51bd6310f9b9f8e958297be977c2b968af3adaf3ffe4add51473"),
    ("wavelet.posepress", "91490ec5bcd598e43e0313aaa8920451260074c570e7e77b831fc59d9a8b433e"),
];

#[test]
fn golden_files_are_those_of_the_list() {
    let folder = std::fs::read_dir(project("tests/golden")).unwrap();
    let mut found: Vec<(String, String)> = folder
        .map(|entry| {
            let path = entry.unwrap().path();
            let digest = blake3::hash(&std::fs::read(&path).unwrap()).to_hex().to_string();
            (path.file_name().unwrap().to_string_lossy().into_owned(), digest)
        })
        .collect();
    found.sort();
    let found: Vec<(&str, &str)> = found.iter().map(|(name, digest)| (name.as_str(), digest.as_str())).collect();
    assert_eq!(found, DIGESTS, "a golden file changed without its line here");
}
