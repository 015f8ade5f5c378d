//! Golden files contain what 0.1.0 writes and reads. From then on none changes, and a new form of a payload gets its own file.

use crate::project::project;

/// Names and blake3 digests of all files in `tests/golden`, sorted by name.
const DIGESTS: &[(&str, &str)] = &[
    ("additive.csv", "c79a1440811607e35c04e2d8b572a8cb36627802dda69c9241bd7cc6423624e8"),
    ("additive.posepress", "39d3ebbec3dd2c999b2bcac2becb9e88d4129bd28ec38d52970752555371d639"),
    ("blocks.csv", "ace117a17e385d76ea511bc45cf4bd4107be4a7dd9f276f7641d008e23ba2b8d"),
    ("blocks.posepress", "aa53bd055db32231187efcc4860c3f5fca70a490e6e14042ea9f54d914eda1f2"),
    ("codecs.csv", "23fdcd8045bdfe7549e96e0dd1a64d6904ea1b1e53271dca509301874e381d95"),
    ("codecs.posepress", "76045f69d5ca1f2301ad7167de779bae161a861ae9b17ef7805f2b2b3fbdf8e3"),
    ("compensation-together.csv", "afb70167ef14b8f9931e6c102e225533d786bb799bead1a5b11cc6ce6acb3dc7"),
    ("compensation-together.posepress", "3cc39e3d3c43ed17814be2b6cd94fa6bce788d56bfa845e3c0c82ee59090bc1e"),
    ("compensation.csv", "57a6065e8d51f702448aa0b5c028a6c09a031e4b80cff41c02a0b545421c535e"),
    ("compensation.posepress", "63e7e230fec9aa9e2a5779852b4ab7d78d945ddca36876d0b9de92a0a308585a"),
    ("curves.csv", "7adaace41873346e09dc8b791f62b553acde3c6ef60da10c66fd7359314a123a"),
    ("curves.posepress", "42a32fda591329f4968f8c8dd92b7b0d864f224135c5224735319ec09ce93264"),
    ("float-tracks.csv", "9cc8324fb67b5a0a4872d44424ceb5b8d7c0fe6531ce5c950b37d1e3fe38a8aa"),
    ("float-tracks.posepress", "9777f11aa8731ec7b678c657ea6115f1422c5770c2155a335f89702c24a234f0"),
    ("groups.csv", "6417050357f11f570ca21caa4aedfab633e86355437916b4a7f5240927ea4a63"),
    ("groups.posepress", "d30cab5982dbe84da6d3a146e8c13d1b514138b6b0a2c8bdd8c0c6e55e260c9d"),
    ("key-reduction.csv", "817f50b6489b7449ce9c8411a607e1f8f19f8c63506e40a24e3737939173930f"),
    ("key-reduction.posepress", "43ec2eac2e62f864bbcb94943b98d02db26317103da4c050dbfd9386894bb04c"),
    ("layouts.csv", "e223527f1685e4ecace6ae17d675debdc287abda3d2442230286808ffd971f69"),
    ("layouts.posepress", "ed13ead9b0224aef01a41a83e583c9d95c5a62bd4ecd8c5c4ea28cf1cb7f0a1b"),
    ("loops.csv", "31dbd1f3e033d8c3db9f1e0e1ea6939b4fbfff4a4b615c1eab8aa0ca895b382a"),
    ("loops.posepress", "6c107fa4bb25166212e495492cd541cbe924f25a60a447c986df5f7d39bb2e02"),
    ("press-archive.csv", "474d23f79559b816c26f227c83c84cf991b13ab29328d3fdd2ef5f96c21b5312"),
    ("press-archive.posepress", "92ea59001729dcd7c5d410bf4374a1159041edec02512203f3821a0abefd21c0"),
    ("press.csv", "891ce7962f0795c96beea498c1965c732e818af1fe22598a3afa0a5fc011ab92"),
    ("press.posepress", "27c5443ac9b3ab384f28e9a575295963b0f27075981b5e7ce2c51e4d4d6fd889"),
    ("ranged-tracks.csv", "3f389beca55bcaa160cd75f4ff8cb1c43aa21409bff942924422032b17d38c9c"),
    ("ranged-tracks.posepress", "0c68c4737b5b38723512fec25cc8c88565e3b594a948e55de6527251a75f9dea"),
    ("ranged.csv", "4e4a6f042d025acf0bf4f3c7eb089b08f79db9f06ba832e3bb36e3ee292448b1"),
    ("ranged.posepress", "13cd518b1fb93027f10ef538484c572ba9b74f85cf2e306011252e555aefdbe6"),
    ("steps.csv", "2ea8a87414173568365589409b6018f2383dca737912782da71848d8c87ba2da"),
    ("steps.posepress", "0ebc6f072e186e735a59ecb139dcc13ca6da5dbd62db058a701498feb682b763"),
    ("tiers.low.posepress-tier", "7d7fcdc48a36fa4aed95b41400881e40806450573c8015d6787704ac1dc648a8"),
    ("tiers.medium.posepress-tier", "43e6c8550cee12c040b0e7eb2f681026dceb24a1820ed3bf5aefcb695e302402"),
    ("tiers.posepress", "5a31510e0ef402ef14cef57d5d04bd1537a590285ad807b98850bef635c596c8"),
    ("variable-rate.csv", "229655352d93da89a6c0d5e19e9b88a5c328cb601f79fd22a238023d995065a5"),
    ("variable-rate.posepress", "9adeabb061ad84a1bddb72487581b2bf62a5fedf1db282237db283ab2d9023dc"),
    ("wavelet-axes.csv", "ad1ab5b3f6c8a8d72fcdc879194c40db69af61352a68cfbcf4a4f73edf4c1233"),
    ("wavelet-axes.posepress", "5511ecdfa86022fe7f25be318c910ac1ff5333c4255ca5c7bd66158ebd8347c7"),
    ("wavelet.csv", "fd2f7504e75e51bd6310f9b9f8e958297be977c2b968af3adaf3ffe4add51473"),
    ("wavelet.posepress", "c13cc2848f66fbe80d1a59abf51e4370413e793290b35fb36fc7e4bd0fca13dc"),
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
